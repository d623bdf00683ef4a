---Connects to a unix socket, and may exchange a few messages with its server.
---
---    local unix = require "bide.unix"
---    unix { path = "/run/app.sock" }
---    unix { path = "/run/clamd.sock", send = "PING\n", expect = "PONG" }
---
---Closes the connection when the call ends. Raises these operation errors:
---
---    ConnectionRefused   the socket exists, but no program listens
---    ConnectionReset     the peer broke the connection off
---    ConnectionFailed    there is no such socket (`code` is "ENOENT"), or the queue of its server is full ("EAGAIN")
---    PermissionDenied    the socket may not be used
---    RequestTimeout      no connection, or not the expected data, within `timeout`
---    UnexpectedAnswer    the peer closed, or sent 64 KiB, without the expected data
---    InvalidAddress      the path cannot be a socket: empty, or longer than 107 bytes; or it is one for datagrams or packets,
---                        or no socket

local connect = require "bide.probe.peer.connect"
local kinds = require("bide.text.option").kinds
local options = require "bide.probe.peer.options"

---Its function in `bide`.
---@class bide
---@field unix fun(options: bide.unix.Options): bide.unix.Result

---The options. An unknown one, or one of the wrong type, raises an error.
---@class bide.unix.Options
---@field path string
---@field send? string sent once connected
---@field expect? string text to wait for in the data from the peer
---@field talk? fun(dialogue: bide.peer.Dialogue): any leads the dialogue, in place of `send` and `expect`
---@field timeout? number seconds for all of it, 10 by default, and at most the time left to a wait

---@class bide.unix.Result
---@field address string the path
---@field received? string what the peer sent, up to what was expected and a bit beyond; if `expect` is given
---@field answer? any the result of `talk`

local read = options.reader({ "path" }, { path = kinds.text, talk = kinds.callable })

---@param given bide.unix.Options
---@return bide.unix.Result
return function(given)
  local checked, mistake = read(given)
  if not checked then error("bide.unix: " .. mistake, 2) end
  return connect.unix(checked)
end
