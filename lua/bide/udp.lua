---Sends a datagram and waits for the answer.
---
---    local udp = require "bide.udp"
---    udp { host = "syslog", port = 9514, send = "ping", expect = "pong" }
---    udp { host = "game", port = 27015, send = query, retransmit = 0.5, timeout = 3 }
---
---Without `expect`, any answer is taken. Tries all addresses of a name, in order, until one of them answers. Each gets
---its share of the time, since a lost datagram leaves nothing but silence. localhost is 127.0.0.1 and ::1, whatever the
---system says. Raises these operation errors:
---
---    NameNotResolved     the host's name has no address
---    ConnectionRefused   the host reported that no program listens there
---    ConnectionFailed    there is no way to the address
---    RequestTimeout      no answer within `timeout`
---    UnexpectedAnswer    answers came, but none of them was expected
---    InvalidAddress      the host cannot be an address
---
---Messages name the addresses that were tried; `address` of the error is the last of them.

local Datagrams = require("bide.probe.peer.sockets").Datagrams
local Peer = require "bide.probe.peer"
local kinds = require("bide.text.option").kinds
local duration = require "bide.text.duration"
local options = require "bide.probe.peer.options"

---Its function in `bide`.
---@class bide
---@field udp fun(options: bide.udp.Options): bide.udp.Result

---The options. An unknown one, or one of the wrong type, raises an error.
---@class bide.udp.Options
---@field host string a name or an address
---@field port integer|string
---@field send string the datagram
---@field expect? string text that the answer contains
---@field retransmit? number seconds between repetitions of the datagram; it is sent once by default
---@field timeout? number seconds for all of it, 10 by default, and at most the time left to a wait

---@class bide.udp.Result
---@field address string where the answer came from, "127.0.0.1:53"
---@field received string the answer

local read = options.reader({ "host", "port", "send" },
  { host = kinds.text, port = options.port, retransmit = kinds.seconds })

---Returns a check of answers, and a function that returns the last answer that was not expected.
local function expecting(wanted)
  local last
  return function(bytes)
    if not wanted or bytes:find(wanted, 1, true) then return true end
    last = bytes
    return false
  end, function() return last end
end

local function ask(peer, target, prepared, at)
  local socket <close> = Datagrams.new()
  local opened, failure = socket:to_address(target.address, target.port)
  if not opened then return nil, failure end
  local is_wanted, last = expecting(prepared.expect)
  local received
  received, failure = socket:exchange(prepared.send, is_wanted, duration.of_seconds(prepared.retransmit), at)
  if received then return { address = target.name, received = received } end
  if last() then peer:fail_of_answer("UnexpectedAnswer", last(), Peer.quote(prepared.expect)) end
  return nil, failure
end

local function run(prepared)
  local peer = Peer.new(("%s:%d"):format(prepared.host, prepared.port), prepared.timeout)
  return peer:try_each(peer:resolve(prepared.host, prepared.port), function(target, at)
    return ask(peer, target, prepared, at)
  end)
end

---@param given bide.udp.Options
---@return bide.udp.Result
return function(given)
  local prepared, mistake = read(given)
  if not prepared then error("bide.udp: " .. mistake, 2) end
  options.check_address(prepared.host)
  return run(prepared)
end
