---A dialogue over a connection: sends requests and reads answers, in turns. Each call waits until the deadline of the
---probe, and raises its operation errors: ConnectionReset, RequestTimeout, UnexpectedAnswer.
---
---    tcp { host = "cache", port = 6379, talk = function(dialogue)
---      dialogue:send("PING\r\n")
---      return dialogue:read_line()
---    end }

local Peer = require "bide.probe.peer"
local yield = require "bide.task.yield"
local loop = require("bide.core").loop

---The most bytes of an answer that are kept while the expected data has not come.
local LIMIT = 64 * 1024

---The longest that a dialogue may handle what it has received before the loop turns, in milliseconds.
local LONGEST_TURN = 5

---The reads without waiting between two looks at the clock.
local READS = 32

---@class bide.peer.Dialogue
---@field private peer bide.Peer
---@field private connection bide.peer.Connection
---@field private taken integer the bytes at the front of the received data that have been read
---@field private reads integer those without waiting, since the clock was read last
---@field private since integer? when the dialogue first read without waiting; nil after it has waited
local Dialogue = {}
Dialogue.__index = Dialogue

---The dialogues behind those that scripts have.
local behind = setmetatable({}, { __mode = "k" })

---@param peer bide.Peer
---@param connection bide.peer.Connection
---@return bide.peer.Dialogue
function Dialogue.new(peer, connection)
  return setmetatable({ peer = peer, connection = connection, taken = 0, reads = 0 }, Dialogue)
end

---@param bytes string
function Dialogue:send(bytes)
  local how = self.connection:send(bytes, self.peer.until_when)
  if how ~= "sent" then self.peer:fail_of_system(how) end
end

---Sends a question. What has come before it cannot be the answer to it, and raises an UnexpectedAnswer.
---@param bytes string
---@param may_come_unasked? fun(received: string): any whether the server may have said that by itself
function Dialogue:ask(bytes, may_come_unasked)
  self.connection:take_ready()
  self:refuse_unread("the question", may_come_unasked)
  self:send(bytes)
end

---Removes what has been read from the received data.
local function drop_taken(self)
  if self.taken == 0 then return end
  self.connection.received, self.taken = self.connection.received:sub(self.taken + 1), 0
end

local function fail(self, how, wanted)
  local kind = how == nil and "RequestTimeout" or (how == "closed" or how == "too much") and "UnexpectedAnswer"
  drop_taken(self)
  if kind then self.peer:fail_of_answer(kind, self.connection.received, wanted) end
  self.peer:fail_of_system(how)
end

---Lets the loop turn if many messages have come together, so that no peer holds up the other waits.
local function give_way(self)
  self.reads = self.reads + 1
  if self.reads < READS then return end
  self.reads = 0
  local now = loop.update()
  if not self.since or now - self.since < LONGEST_TURN then
    self.since = self.since or now
    return
  end
  self.since = nil
  yield()
  if loop.update() >= self.peer.until_when then fail(self, nil, "an answer") end
end

---Reads until enough has come; `wanted` is the words for that.
---@param is_enough fun(received: string, news: string, from: integer): boolean `from` is the position of the first byte
local function await(self, is_enough, limit, wanted)
  local connection = self.connection
  if is_enough(connection.received, connection.received, self.taken + 1) then return give_way(self) end
  drop_taken(self)
  self.since = nil
  local how = connection:read(function(received, news) return is_enough(received, news, 1) end, limit, self.peer.until_when)
  if how ~= "found" then fail(self, how, wanted) end
end

---Takes bytes from the front of the received data.
local function take(self, count)
  local from = self.taken + 1
  self.taken = self.taken + count
  return self.connection.received:sub(from, self.taken)
end

---Reports whether a text is in the received data from a position on, the last part of which is new.
local function has(received, news, from, text)
  return received:find(text, math.max(#received - #news - #text + 1, from), true) ~= nil
end

---Reads the next `count` bytes, at most 64 KiB.
---@param count integer
---@return string
function Dialogue:read(count)
  local wanted = count == 1 and "a byte" or count .. " bytes"
  if count > LIMIT then fail(self, "too much", wanted) end
  await(self, function(received, _, from) return #received - from + 1 >= count end, LIMIT, wanted)
  return take(self, count)
end

---Reads the next line, without its end, which is LF or CR LF.
---@return string
function Dialogue:read_line()
  await(self, function(received, news, from) return has(received, news, from, "\n") end, LIMIT, "a line")
  local ending = self.connection.received:find("\n", self.taken + 1, true)
  return (take(self, ending - self.taken):gsub("\r?\n$", ""))
end

---Reads until a text has come; returns everything that came with it.
---@param text string
---@return string received up to the text and a bit beyond
function Dialogue:read_until(text)
  await(self, function(received, news, from) return has(received, news, from, text) end, LIMIT, Peer.quote(text))
  return take(self, #self.connection.received - self.taken)
end

-- ---- TLS --------------------------------------------------------------------------------------

---Returns the peer's certificate and what was agreed on; nil without TLS.
---@return bide.tls.Peer?
local function describe_peer(self)
  return self.connection.describe and self.connection:describe() or nil
end

---@return string?
local function channel_binding(self)
  return self.connection.binding and self.connection:binding() or nil
end

---Returns the host that the connection leads to; nil over a Unix socket.
---@return string?
function Dialogue:host()
  return self.peer.host
end

---The rest of a connection whose handshake failed: nothing may follow in clear.
local lost = {
  received = "", take_ready = function() end, send = function() return "ENOTCONN" end, read = function() return "ENOTCONN" end,
}

---Refuses what has come and was not read: it answers nothing that is still to be sent.
---@param what string what is to come first
---@param may_come_unasked? fun(received: string): any whether that is true of it
function Dialogue:refuse_unread(what, may_come_unasked)
  drop_taken(self)
  local received = self.connection.received
  if received ~= "" and not (may_come_unasked and may_come_unasked(received)) then
    self.peer:fail_of_answer("UnexpectedAnswer", received, "nothing before " .. what)
  end
end

---Replaces the connection by one over it. What has come already and was not read is refused: it was not protected.
---@param start fun(peer: bide.Peer, connection: bide.peer.Connection): bide.peer.Connection
function Dialogue:hand_over(start)
  self:refuse_unread "TLS"
  local raw = self.connection
  self.connection = lost
  self.connection = start(self.peer, raw)
end

---Ends the dialogue, and returns its connection, for code that takes what comes as it comes.
---@return bide.peer.Connection connection
---@return string received what has come and was not read
function Dialogue:release()
  drop_taken(self)
  local connection, received = self.connection, self.connection.received
  connection.received, self.connection = "", lost
  return connection, received
end

-- ---- scripts ----------------------------------------------------------------------------------

local methods = {
  send = Dialogue.send, ask = Dialogue.ask, read = Dialogue.read, read_line = Dialogue.read_line,
  read_until = Dialogue.read_until,
  peer = describe_peer, channel_binding = channel_binding,
}

---Returns a dialogue for a script, which can call its methods but not reach the sockets behind them.
---@return bide.peer.Dialogue
function Dialogue:for_script()
  local shown = {}
  for name, method in pairs(methods) do
    shown[name] = function(_, ...) return method(self, ...) end
  end
  behind[shown] = self
  return shown
end

---Returns the dialogue behind one of a script; nil for any other value.
---@param shown any
---@return bide.peer.Dialogue?
function Dialogue.behind(shown)
  return behind[shown]
end

---@class bide.peer.Talk
---@field send? string sent once connected
---@field expect? string text to wait for in the data from the peer
---@field talk? fun(dialogue: bide.peer.Dialogue): any in place of both

---@return { address: string, answer: any }? result
---@return string? lack of descriptors
local function talk(dialogue, options, address)
  local peer = dialogue.peer
  peer.lack = nil
  local ok, answer = pcall(options.talk, dialogue:for_script())
  if ok then return { address = address, answer = answer } end
  if not peer.lack then error(answer, 0) end
  return nil, peer.lack
end

---Holds the dialogue that the options of bide.tcp and bide.unix describe.
---@param peer bide.Peer
---@param connection bide.peer.Connection
---@param options bide.peer.Talk
---@param address string
---@return { address: string, received: string?, answer: any }? result
---@return string? lack of descriptors
function Dialogue.hold(peer, connection, options, address)
  local dialogue = Dialogue.new(peer, connection)
  if options.talk then return talk(dialogue, options, address) end
  if options.send then dialogue:send(options.send) end
  return { address = address, received = options.expect and dialogue:read_until(options.expect) }
end

return Dialogue
