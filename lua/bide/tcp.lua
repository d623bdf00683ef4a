---Connects to a port, and may exchange a few messages with its server.
---
---    local tcp = require "bide.tcp"
---    tcp { host = "db", port = 5432 }
---    tcp { host = "cache", port = 6379, send = "PING\r\n", expect = "+PONG" }
---    tcp { host = "cache", port = 6379, talk = function(dialogue)     -- more than one question
---      dialogue:send("PING\r\n")
---      return dialogue:read_line()
---    end }
---
---Tries all addresses of a name, in order, until one of them answers; localhost is 127.0.0.1 and ::1, whatever the
---system says. Closes the connection when the call ends. Raises these operation errors:
---
---    NameNotResolved     the host's name has no address
---    ConnectionRefused   no program listens there
---    ConnectionReset     the peer broke the connection off
---    ConnectionFailed    there is no way to the address
---    RequestTimeout      no connection, or not the expected data, within `timeout`
---    UnexpectedAnswer    the peer closed, or sent 64 KiB, without the expected data
---    InvalidAddress      the host cannot be an address
---
---Messages name the addresses that were tried; `address` of the error is the last of them.

local connect = require "bide.probe.peer.connect"
local kinds = require("bide.text.option").kinds
local options = require "bide.probe.peer.options"

---Its function in `bide`.
---@class bide
---@field tcp fun(options: bide.tcp.Options): bide.tcp.Result

---The options. An unknown one, or one of the wrong type, raises an error.
---@class bide.tcp.Options
---@field host string a name or an address
---@field port integer|string
---@field send? string sent once connected
---@field expect? string text to wait for in the data from the peer
---@field talk? fun(dialogue: bide.peer.Dialogue): any leads the dialogue, in place of `send` and `expect`
---@field every_address? boolean asks each address of the host, not only the first one that accepts a connection: the result
---is a list of results; raises an error if one of them gives none. Of localhost, an address at which no program listens is
---left out
---@field timeout? number seconds for all of it, 10 by default, and at most the time left to a wait

---@class bide.tcp.Result
---@field address string where the connection went, "127.0.0.1:5432"
---@field received? string what the peer sent, up to what was expected and a bit beyond; if `expect` is given
---@field answer? any the result of `talk`

local read = options.reader({ "host", "port" }, {
  host = kinds.text, port = options.port, talk = kinds.callable, every_address = kinds.flag,
})

---@param given bide.tcp.Options
---@return bide.tcp.Result|bide.tcp.Result[]
return function(given)
  local checked, mistake = read(given)
  if not checked then error("bide.tcp: " .. mistake, 2) end
  return connect.tcp(checked)
end
