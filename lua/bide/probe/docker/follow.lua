---Follows the log of a container until a line matches, the container has ended, or the deadline comes. The log is read as it
---comes, in pieces of at most 64 KiB: it may be of any length. The request is one of HTTP/1.0, whose answer is the bytes of
---the log until the connection ends, and so does the log when the container does.

local Connection = require("bide.probe.peer.sockets").Connection
local Peer = require "bide.probe.peer"
local frames = require "bide.probe.docker.frames"
local json = require("bide.core").json
local line_search = require "bide.probe.asking.line_search"
local retries = require "bide.task.retries"
local tail = require "bide.probe.exec.tail"

local PIECE = 64 * 1024
local LONGEST_HEAD = 16 * 1024
local LONGEST_FAILURE = 4096

---@class bide.docker.Following
---@field found bide.FoundLine?
---@field stream string? of the line
---@field kept bide.exec.Tail the end of what was read
---@field read integer bytes

local function any() return true end

---Reads what is left of a short answer.
---@param length integer? of the whole body, if its head says it
local function read_rest(connection, length, at)
  local function is_whole(received) return length ~= nil and #received >= length end
  if not is_whole(connection.received) then connection:read(is_whole, LONGEST_FAILURE, at) end
  return connection.received
end

local types = { [404] = "NotFound", [409] = "Conflict", [501] = "LogUnreadable" }

---Raises the operation error of an answer that is not a log.
local function fail(connection, status, length, at)
  local answer = json.decode(read_rest(connection, length, at), { lenient = true })
  local message = type(answer) == "table" and type(answer.message) == "string" and answer.message or nil
  error({ type = types[status] or "LogFailure", status = status, message = message or "the log cannot be read" }, 0)
end

---Reads the head of the answer; what has come of the log stays in the connection.
---@return string? how the failure of the system
local function read_head(connection, at)
  local how = connection:read(function(received) return received:find("\r\n\r\n", 1, true) ~= nil end, LONGEST_HEAD, at)
  if how ~= "found" and how ~= "closed" and how ~= "too much" then return how or "ETIMEDOUT" end
  local head, rest = connection.received:match "^(.-\r\n)\r\n(.*)$"
  local status = head and tonumber(head:match "^HTTP/1%.%d (%d%d%d)")
  if not status or head:lower():find("\ntransfer-encoding:", 1, true) then
    error({ type = "InvalidAnswer", message = "this is not an answer of Docker" }, 0)
  end
  connection.received = rest
  if status ~= 200 then fail(connection, status, tonumber(head:lower():match "\ncontent%-length: *(%d+)"), at) end
end

---Reads the log until a line matches or the stream ends.
---@param connection bide.peer.Connection
---@param following bide.docker.Following
---@param reading bide.docker.Frames
local function read_log(connection, following, reading)
  repeat
    local bytes = connection.received
    connection.received, following.read = "", following.read + #bytes
    if not reading:add(bytes) then error({ type = "InvalidAnswer", message = "the answer is not a log" }, 0) end
    if following.found then return end
    retries.remark(("%d bytes of the log read, no line matches"):format(following.read))
  until connection:read(any, PIECE, nil) ~= "found"
  if not reading:is_whole() then error({ type = "ConnectionReset", message = "the log was cut" }, 0) end
end

---Searches for a line in each of the two streams.
---@param following bide.docker.Following
---@param input bide.LineInput
---@return table<string, bide.LineSearch>
---@return fun(bytes: string, stream: string)
local function searching(following, input)
  local searches = {}
  return searches, function(bytes, stream)
    following.kept:add(bytes)
    if following.found then return end
    searches[stream] = searches[stream] or line_search.new(input)
    following.found, following.stream = searches[stream]:add(bytes), stream
  end
end

---@class bide.docker.LogRequest
---@field path string
---@field has_terminal boolean
---@field has_ended boolean whether the container has, so that its last line has too

---@param given { timeout: number?, matches: string?, matches_lua: string?, failed: string[]? }
---@param socket string
---@param request bide.docker.LogRequest
---@return bide.docker.Following
return function(given, socket, request)
  local following = { kept = tail.new(), read = 0 }
  local searches, take = searching(following, given)
  local peer = Peer.new(socket, math.ceil((given.timeout or 10) * 1000))
  peer:try_each({ { name = socket } }, function(target, at)
    local connection <close> = Connection.new(true)
    local how = connection:to_path(at, target.name)
    if how ~= "connected" then return nil, how end
    how = connection:send(("GET %s HTTP/1.0\r\nHost: docker\r\nConnection: close\r\n\r\n"):format(request.path), at)
    if how ~= "sent" then return nil, how end
    how = read_head(connection, at)
    if how then return nil, how end
    read_log(connection, following, frames.new(request.has_terminal, take))
    return true
  end)
  for stream, search in pairs(request.has_ended and searches or {}) do
    if not following.found then following.found, following.stream = search:finish(), stream end
  end
  return following
end
