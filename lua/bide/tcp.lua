---Connects to a port, and talks a little with who listens there.
---
---    local tcp = require "bide.tcp"
---    tcp { host = "db", port = 5432 }
---    tcp { host = "cache", port = 6379, send = "PING\r\n", expect = "+PONG" }
---    tcp { host = "cache", port = 6379, talk = function(dialogue)     -- more than one question
---      dialogue:send("PING\r\n")
---      return dialogue:read_line()
---    end }
---
---All addresses of a name are tried, in order, until one of them answers; localhost is
---127.0.0.1 and ::1, whatever the system says. The connection is
---closed when the call is over. Raised as operation errors are
---
---    NameNotResolved     the host's name has no address
---    ConnectionRefused   nobody listens there
---    ConnectionReset     the peer broke the connection off
---    ConnectionFailed    there is no way to the address
---    RequestTimeout      no connection, or not what was expected, within `timeout`
---    UnexpectedAnswer    the peer closed, or sent 64 KiB, without what was expected or read
---    InvalidAddress      a host that cannot be one
---
---Messages name the addresses that were tried; `address` of the error is the last of them.

local Connection = require("bide.peer.sockets").Connection
local Dialogue = require "bide.peer.dialogue"
local Peer = require "bide.peer"
local kinds = require("bide.option").kinds
local options = require "bide.peer.options"

---Its function in `bide`.
---@class bide
---@field tcp fun(options: bide.tcp.Options): bide.tcp.Result

---Unknown options and wrong types raise.
---@class bide.tcp.Options
---@field host string a name or an address
---@field port integer|string
---@field send? string sent as soon as the connection is there
---@field expect? string text to wait for in what the peer sends
---@field talk? fun(dialogue: bide.peer.Dialogue): any says and hears what it likes, in place of `send` and `expect`
---@field timeout? number seconds for all of it, 10 otherwise; the time left to a wait caps it

---@class bide.tcp.Result
---@field address string where the connection went, "127.0.0.1:5432"
---@field received? string what the peer sent, up to what was expected and a bit beyond; where something was expected
---@field answer? any what `talk` returned

local read = options.reader({ "host", "port" }, { host = kinds.text, port = options.port, talk = kinds.callable })

local function run(prepared)
  local peer = Peer.new(("%s:%d"):format(prepared.host, prepared.port), prepared.timeout)
  return peer:try_each(peer:resolve(prepared.host, prepared.port), function(target, at)
    local connection <close> = Connection.new(false)
    local how = connection:to_address(at, target.address, target.port)
    if how ~= "connected" then return nil, how end
    return Dialogue.hold(peer, connection, prepared, target.name)
  end)
end

---@param given bide.tcp.Options
---@return bide.tcp.Result
return function(given)
  local prepared, mistake = read(given)
  if not prepared then error("bide.tcp: " .. mistake, 2) end
  options.check_address(prepared.host)
  return run(prepared)
end
