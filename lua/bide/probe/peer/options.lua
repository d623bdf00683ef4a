---Reads the options of the probes with a peer: bide.tcp, bide.udp and bide.unix.

local duration = require "bide.text.duration"
local option = require "bide.text.option"
local tables = require "bide.text.tables"

local M = {}

local TIMEOUT = 10       -- seconds
local LONGEST_PATH = 107 -- of a unix socket; libuv would silently cut a longer one

local kinds = option.kinds

---The kind of a port, which may be a text from the command line.
M.port = { "1 to 65535", function(value)
  local number = math.tointeger(tonumber(value))
  return number and number > 0 and number < 65536
end }

---@return string? mistake
local function find_excluded(given)
  if given.talk and (given.send or given.expect) then
    return ("talk and %s exclude each other"):format(given.send and "send" or "expect")
  end
end

---@param seconds number?
---@return integer milliseconds 10 seconds if none are given
function M.timeout(seconds)
  return duration.of_seconds(math.min(seconds or TIMEOUT, 1e9))
end

---Returns a function that reads options: all of `required`, and send, expect, timeout and what `others` names.
---@param required string[]
---@param others table<string, table> the kinds of the options that are not shared
---@return fun(given: table): (table?, string?) prepare what it returns is prepared, or nil and the mistake
function M.reader(required, others)
  local kind_of = tables.merged({ send = kinds.text, expect = kinds.text, timeout = kinds.seconds }, others)
  return function(given)
    local mistake = option.check(given, kind_of, required) or find_excluded(given)
    if mistake then return nil, mistake end
    local prepared = tables.merged(given)
    prepared.port, prepared.timeout = math.tointeger(tonumber(given.port)), M.timeout(given.timeout)
    return prepared
  end
end

local function refuse(what)
  error({ type = "InvalidAddress", message = what .. " is not an address to connect to" }, 0)
end

---Raises an operation error for a text that cannot be an address, as for an invalid URL: it may come from outside.
---@param text string a host, or the path of a socket
---@param is_path? boolean
function M.check_address(text, is_path)
  if text == "" then refuse "an empty text" end
  if text:find("\0", 1, true) then refuse "a text with a NUL byte" end
  if is_path and #text > LONGEST_PATH then refuse(("a path of more than %d bytes"):format(LONGEST_PATH)) end
end

return M
