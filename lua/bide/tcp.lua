---Connects to a port or a unix socket, and talks a little with who listens there.
---
---    local tcp = require "bide.tcp"
---    tcp { host = "db", port = 5432 }
---    tcp { host = "cache", port = 6379, send = "PING\r\n", expect = "+PONG" }
---
---All addresses of a name are tried, in order, until one of them answers; localhost is
---127.0.0.1 and ::1, whatever the system says. The connection is
---closed when the call is over. Raised as operation errors are
---
---    NameNotResolved     the host's name has no address
---    ConnectionRefused   nobody listens there
---    ConnectionReset     the peer broke the connection off
---    ConnectionFailed    there is no way to the address, or no such socket
---    PermissionDenied    the unix socket may not be used
---    RequestTimeout      no connection, or not what was expected, within `timeout`
---    UnexpectedAnswer    the peer closed, or sent 64 KiB, without what was expected
---    InvalidAddress      a host or a path that cannot be one
---
---Messages name the addresses that were tried; `address` of the error is the last of them.

local core = require "bide.core"
local options = require "bide.tcp.options"
local Connection = require "bide.tcp.connection"
local await = require "bide.await"
local uv = require "luv"

local loop = core.loop

---Unknown options and wrong types raise. Either host and port, or unix_socket.
---@class bide.tcp.Options
---@field host? string a name or an address
---@field port? integer|string
---@field unix_socket? string the path of a socket
---@field send? string sent as soon as the connection is there
---@field expect? string text to wait for in what the peer sends
---@field timeout? number seconds for all of it, 10 otherwise; the time left to a wait caps it

---@class bide.tcp.Result
---@field address string where the connection went, "127.0.0.1:5432"; a socket's path
---@field received? string what the peer sent, up to what was expected and a bit beyond; where something was expected

---@class bide.tcp.Attempt
---@field name string "db:5432", for messages
---@field tried string[]
---@field until_when integer on the loop's clock

local types = {
  ECONNREFUSED = "ConnectionRefused", ECONNRESET = "ConnectionReset", EPIPE = "ConnectionReset",
  ETIMEDOUT = "RequestTimeout", EACCES = "PermissionDenied", EPERM = "PermissionDenied",
}

local openings = {
  NameNotResolved = "cannot resolve the name of %s",
  ConnectionRefused = "connection refused by %s",
  ConnectionReset = "connection lost to %s",
  ConnectionFailed = "cannot connect to %s",
  PermissionDenied = "may not connect to %s",
  RequestTimeout = "no answer in time from %s",
  UnexpectedAnswer = "not the expected answer from %s",
}

---@param attempt bide.tcp.Attempt
---@param kind string
---@param detail? string
local function fail(attempt, kind, detail)
  local message = openings[kind]:format(attempt.name)
  if #attempt.tried > 0 and attempt.tried[1] ~= attempt.name then
    message = ("%s (%s)"):format(message, table.concat(attempt.tried, ", "))
  end
  if detail then message = message .. ": " .. detail end
  error({ type = kind, message = message, address = attempt.tried[#attempt.tried] }, 0)
end

---"ECONNREFUSED", or the same with words behind it.
local function fail_of_system(attempt, failure)
  if failure == nil then fail(attempt, "RequestTimeout") end
  local code = failure:match("^%u%w*")
  local kind = types[code] or "ConnectionFailed"
  fail(attempt, kind, kind == "ConnectionFailed" and failure or nil)
end

---@param attempt bide.tcp.Attempt
---@return { addr: string }[]
local function resolve(attempt, prepared)
  if prepared.host == "localhost" then return { { addr = "127.0.0.1" }, { addr = "::1" } } end
  local request
  local answered, addresses = await(attempt.until_when, function(waker)
    local failure
    request, failure = uv.getaddrinfo(prepared.host, nil, { socktype = "stream" }, function(failed, found)
      waker(failed or "found", found)
    end)
    if not request then waker(failure) end
  end)
  if answered == nil then fail(attempt, "RequestTimeout", "the name is not resolved") end
  if not addresses then fail(attempt, "NameNotResolved") end
  return addresses
end

local function write_address(address, port)
  return (address:find(":", 1, true) and "[%s]:%d" or "%s:%d"):format(address, port)
end

---When the address at this position has had its share of the time.
local function turn_of(attempt, left)
  local now = loop.update()
  return now + math.max((attempt.until_when - now) // left, 1)
end

---Where to connect to, in order: how each is written, and a function that begins to connect.
local function list_targets(attempt, prepared)
  if prepared.path then
    return { { name = prepared.path, connect = Connection.to_path, prepared.path } }
  end
  local targets = {}
  for position, address in ipairs(resolve(attempt, prepared)) do
    targets[position] = {
      name = write_address(address.addr, prepared.port), connect = Connection.to_address,
      address.addr, prepared.port,
    }
  end
  return targets
end

local function quote(text)
  return core.json.encode(text:sub(1, 80))
end

---Sends and expects what was asked for.
local function talk(attempt, connection, prepared)
  if prepared.send then
    local sent = connection:send(prepared.send, attempt.until_when)
    if sent ~= "sent" then fail_of_system(attempt, sent) end
  end
  if not prepared.expect then return nil end
  local how = connection:expect(prepared.expect, attempt.until_when)
  if how == "found" then return connection.received end
  local detail = ("received %s, wanted %s"):format(quote(connection.received), quote(prepared.expect))
  if how == nil then fail(attempt, "RequestTimeout", detail) end
  if how == "closed" or how == "too much" then fail(attempt, "UnexpectedAnswer", detail) end
  fail_of_system(attempt, how)
end

---Tries one target; returns what the system said where there is no connection.
local function try(attempt, target, prepared, at)
  attempt.tried[#attempt.tried + 1] = target.name
  local connection <close> = Connection.new(prepared.path ~= nil)
  local how = target.connect(connection, at, table.unpack(target))
  if how ~= "connected" then return nil, how end
  return { address = target.name, received = talk(attempt, connection, prepared) }
end

local function run(prepared)
  local attempt = { name = prepared.name, tried = {}, until_when = loop.update() + prepared.timeout }
  local targets = list_targets(attempt, prepared)
  local result, failure
  for position, target in ipairs(targets) do
    result, failure = try(attempt, target, prepared, turn_of(attempt, #targets - position + 1))
    if result then return result end
  end
  fail_of_system(attempt, failure)
end

---@param given bide.tcp.Options
---@return bide.tcp.Result
return function(given)
  local prepared, mistake = options.read(given)
  if not prepared then error("bide.tcp: " .. mistake, 2) end
  options.check_address(prepared)
  return run(prepared)
end
