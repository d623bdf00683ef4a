---The TCP connections of this machine to one of its ports, as the kernel lists them in /proc/net.
---
---    local connections = require "bide.connections"
---    connections.of_port(8080)       --> { listens = true, open = { { host = "10.0.0.7", port = 418, state = "established" } } }
---    connections.canonical "::1"     --> "0:0:0:0:0:0:0:1"
---
---They are those of the network namespace in which bide runs: a container has its own. Raises the operation error
---ConnectionsHidden where the kernel does not list them.

local core = require "bide.core"
local ip = require "bide.text.ip"
local option = require "bide.text.option"
local shortage = require "bide.task.shortage"

local M = {}

---A connection that is not over: TIME_WAIT is, since both sides have closed it.
---@class bide.connections.Connection
---@field host string of the other side, in its canonical form
---@field port integer of the other side
---@field state "established"|"syn_sent"|"syn_recv"|"fin_wait1"|"fin_wait2"|"close_wait"|"last_ack"|"closing"|"unknown"

---@class bide.connections.OfPort
---@field listens boolean whether a program accepts connections on the port
---@field open bide.connections.Connection[]

local LISTEN <const> = "0A"

---The states in which nothing is exchanged any more.
local is_over = { ["06"] = true, ["07"] = true } -- TIME_WAIT, CLOSE

local names = {
  ["01"] = "established", ["02"] = "syn_sent", ["03"] = "syn_recv", ["04"] = "fin_wait1", ["05"] = "fin_wait2",
  ["08"] = "close_wait", ["09"] = "last_ack", ["0B"] = "closing", ["0C"] = "syn_recv",
}

-- ---- addresses ---------------------------------------------------------------------------------

---Returns an address of /proc/net, whose words of four bytes are in the order of this machine.
---@param digits string
local function host_of(digits)
  local words, groups = {}, {}
  for word in digits:gmatch "%x%x%x%x%x%x%x%x" do
    words[#words + 1] = string.unpack(">I4", string.pack("=I4", tonumber(word, 16)))
  end
  if #words == 1 then
    local word = words[1]
    return ("%d.%d.%d.%d"):format(word >> 24, word >> 16 & 255, word >> 8 & 255, word & 255)
  end
  for _, word in ipairs(words) do
    table.insert(groups, word >> 16)
    table.insert(groups, word & 0xFFFF)
  end
  return ip.text_of(groups)
end

---Returns an address in the form that the connections have it.
---@param text string
---@return string? canonical nil if the text has another form
function M.canonical(text)
  return ip.canonical(text)
end

-- ---- the list of the kernel ----------------------------------------------------------------------

---@param place string
local function hide(place, why)
  error({ type = "ConnectionsHidden", message = ("the connections of this machine cannot be listed: %s: %s"):format(place, why) },
    0)
end

---Iterates over the lines of a port of this machine. No text is made of the others: a busy machine has 10,000.
---@param text string
---@param wanted string the port, as four digits
local function lines_with(text, wanted)
  local mark, place = (":%s "):format(wanted), 1
  return function()
    while true do
      local from, to = text:find(mark, place, true)
      if not from then return nil end
      place = to + 1
      local start = from
      while start > 1 and text:byte(start - 1) ~= 10 do start = start - 1 end
      local is_local = text:find("^ *%d+: %x+:", start) and not text:sub(start, from):find("%x:%x+ ")
      if is_local then return text:sub(start, (text:find("\n", to, true) or #text + 1) - 1) end
    end
  end
end

---Adds the connections that a file lists.
---@param found bide.connections.OfPort
---@param port integer
local function add(found, place, port)
  local wanted = ("%04X"):format(port)
  local handle, why = io.open(place, "r")
  if not handle then hide(place, why) end
  local text <const> = handle:read "a"
  handle:close()
  if not text:find "^[^\n]*local_address" then hide(place, "it does not list connections") end
  for line in lines_with(text, wanted) do
    local host, other, state = line:match "^ *%d+: %x+:%x+ (%x+):(%x+) (%x%x) "
    if not host then hide(place, "a line is broken") end
    if state == LISTEN then
      found.listens = true
    elseif not is_over[state] then
      table.insert(found.open, { host = host_of(host), port = tonumber(other, 16), state = names[state] or "unknown" })
    end
  end
end

local NO_SUCH_FILE <const> = 2 -- ENOENT

---Reports whether the kernel has IPv6, and so a list of its connections. Those of IPv4 to a server of both are on it.
---@return boolean
local function has_six()
  local place <const> = "/proc/net/if_inet6"
  local handle, why, number = io.open(place, "r")
  if handle then handle:close() end
  if not handle and number ~= NO_SUCH_FILE then hide(place, why) end
  return handle ~= nil
end

---Returns what is connected to a port. Waits for a descriptor first, since a list that cannot be opened would be missing.
---@param port integer
---@return bide.connections.OfPort
function M.of_port(port)
  if math.type(port) ~= "integer" or port < 1 or port > 65535 then
    error("bide.connections: port: " .. option.expected("a port, from 1 to 65535", port), 2)
  end
  local found, failure = shortage.wait_out(function()
    local lack = core.process.lacks_descriptors(1)
    if lack then return nil, lack end
    local listed = { listens = false, open = {} }
    add(listed, "/proc/net/tcp", port)
    if has_six() then add(listed, "/proc/net/tcp6", port) end
    return listed
  end)
  return assert(found, failure)
end

return M
