---Finds the ports of this machine that waits ask, and that are open before the program of --start begins: what answers there
---may be a server of an earlier run.

local address = require "bide.address"
local origin = require "bide.probe.http.origin"
local ports = require "bide.wait.port"

local M = {}

---Returns the addresses in a text: one, or several with commas between them.
---@param text string "localhost:8080/health", "redis://me@cache", "one:9092,two"
---@return bide.Address[]
---@return string? scheme
local function read(text)
  local scheme, rest = text:match "^(%a[%w+.-]*)://(.*)$"
  local servers, found = (rest or text):match("^[^/?#]*"):gsub("^.*@", ""), {}
  for server in servers:gmatch "[^,]+" do found[#found + 1] = address.read(server) end
  return found, scheme
end

---Adds the open ports of an input that is an address.
---@param list string[]
---@param input table
---@param text string
---@param port true|integer as the declaration of the input has it
local function add(list, input, text, port)
  local found, scheme = read(text)
  if port == true then port = tonumber(origin.default_port[(scheme or "http"):lower()]) or 0 end
  for _, server in ipairs(found) do
    local number = server.port or math.tointeger(input.port) or port
    if number > 0 and ports.is_open(server.host, number) then list[#list + 1] = ("%s:%d"):format(server.host, number) end
  end
end

---Returns the open ports of a wait, "localhost:8080". A wait over a Unix socket or a proxy has none.
---@param one bide.PreparedWait
---@return string[]
function M.of(one)
  local input, list = one.input:value(), {}
  if type(input) ~= "table" or input.unix or (input.proxy or "") ~= "" then return list end
  for name, member in pairs(one.waiter.inputs or {}) do
    if member.origin and type(input[name]) == "string" then add(list, input, input[name], member.origin) end
  end
  return list
end

return M
