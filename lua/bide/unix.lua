---Connects to a unix socket, and talks a little with who listens there.
---
---    local unix = require "bide.unix"
---    unix { path = "/run/app.sock" }
---    unix { path = "/run/clamd.sock", send = "PING\n", expect = "PONG" }
---
---The connection is closed when the call is over. Raised as operation errors are
---
---    ConnectionRefused   the socket is there, and nobody listens
---    ConnectionReset     the peer broke the connection off
---    ConnectionFailed    there is no such socket
---    PermissionDenied    the socket may not be used
---    RequestTimeout      no connection, or not what was expected, within `timeout`
---    UnexpectedAnswer    the peer closed, or sent 64 KiB, without what was expected or read
---    InvalidAddress      a path that cannot be one: empty, or longer than 107 bytes

local Connection = require("bide.peer.sockets").Connection
local Dialogue = require "bide.peer.dialogue"
local Peer = require "bide.peer"
local kinds = require("bide.option").kinds
local options = require "bide.peer.options"

---Its function in `bide`.
---@class bide
---@field unix fun(options: bide.unix.Options): bide.unix.Result

---Unknown options and wrong types raise.
---@class bide.unix.Options
---@field path string
---@field send? string sent as soon as the connection is there
---@field expect? string text to wait for in what the peer sends
---@field talk? fun(dialogue: bide.peer.Dialogue): any says and hears what it likes, in place of `send` and `expect`
---@field timeout? number seconds for all of it, 10 otherwise; the time left to a wait caps it

---@class bide.unix.Result
---@field address string the path
---@field received? string what the peer sent, up to what was expected and a bit beyond; where something was expected
---@field answer? any what `talk` returned

local read = options.reader({ "path" }, { path = kinds.text, talk = kinds.callable })

local function run(prepared)
  local peer = Peer.new(prepared.path, prepared.timeout)
  return peer:try_each({ { name = prepared.path } }, function(target, at)
    local connection <close> = Connection.new(true)
    local how = connection:to_path(at, target.name)
    if how ~= "connected" then return nil, how end
    return Dialogue.hold(peer, connection, prepared, target.name)
  end)
end

---@param given bide.unix.Options
---@return bide.unix.Result
return function(given)
  local prepared, mistake = read(given)
  if not prepared then error("bide.unix: " .. mistake, 2) end
  options.check_address(prepared.path, true)
  return run(prepared)
end
