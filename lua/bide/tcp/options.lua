---Reads the options of bide.tcp.

local option = require "bide.option"

local M = {}

local TIMEOUT = 10       -- seconds
local LONGEST_PATH = 107 -- of a unix socket; libuv would cut a longer one without a word

local kinds = option.kinds

---A port may come from the command line, as text.
local port = { "a port, 1 to 65535", function(value)
  local number = math.tointeger(tonumber(value))
  return number and number > 0 and number < 65536
end }

local kind_of = {
  host = kinds.text, port = port, unix_socket = kinds.text,
  send = kinds.text, expect = kinds.text, timeout = kinds.seconds,
}

local function check_target(given)
  if given.unix_socket and (given.host or given.port) then
    return "the option 'unix_socket' excludes 'host' and 'port'"
  end
  if given.unix_socket then return nil end
  if not given.host then return "the option 'host' is missing" end
  if not given.port then return "the option 'port' is missing" end
end

---@param given bide.tcp.Options
---@return table? prepared
---@return string? mistake
function M.read(given)
  if type(given) ~= "table" then return nil, "the options must be a table, and are " .. option.describe(given) end
  local mistake = option.check(given, kind_of) or check_target(given)
  if mistake then return nil, mistake end
  local number = math.tointeger(tonumber(given.port))
  return {
    host = given.host, port = number, path = given.unix_socket,
    name = given.unix_socket or ("%s:%d"):format(given.host, number),
    send = given.send, expect = given.expect,
    timeout = option.milliseconds(math.min(given.timeout or TIMEOUT, 1e9)),
  }
end

---What comes from outside and can be no address is an operation error, as an invalid URL is.
function M.check_address(prepared)
  local text = prepared.path or prepared.host
  local what
  if text == "" then what = "an empty text" end
  if text:find("\0", 1, true) then what = "a text with a NUL byte" end
  if prepared.path and #text > LONGEST_PATH then what = ("a path of more than %d bytes"):format(LONGEST_PATH) end
  if what then
    error({ type = "InvalidAddress", message = what .. " is no address to connect to" }, 0)
  end
end

return M
