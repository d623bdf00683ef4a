---A dialogue over a connection: sends requests and reads answers, in turns. Each call waits until the deadline of the
---probe, and raises its operation errors: ConnectionReset, RequestTimeout, UnexpectedAnswer.
---
---    tcp { host = "cache", port = 6379, talk = function(dialogue)
---      dialogue:send("PING\r\n")
---      return dialogue:read_line()
---    end }

local Peer = require "bide.probe.peer"

---The most bytes of an answer that are kept while the expected data has not come.
local LIMIT = 64 * 1024

---@class bide.peer.Dialogue
---@field private peer bide.Peer
---@field private connection bide.peer.Connection
local Dialogue = {}
Dialogue.__index = Dialogue

---The dialogues behind those that scripts have.
local behind = setmetatable({}, { __mode = "k" })

---@param peer bide.Peer
---@param connection bide.peer.Connection
---@return bide.peer.Dialogue
function Dialogue.new(peer, connection)
  return setmetatable({ peer = peer, connection = connection }, Dialogue)
end

---@param bytes string
function Dialogue:send(bytes)
  local how = self.connection:send(bytes, self.peer.until_when)
  if how ~= "sent" then self.peer:fail_of_system(how) end
end

local function fail(self, how, wanted)
  local kind = how == nil and "RequestTimeout" or (how == "closed" or how == "too much") and "UnexpectedAnswer"
  if kind then self.peer:fail_of_answer(kind, self.connection.received, wanted) end
  self.peer:fail_of_system(how)
end

---Reads until enough has come; `wanted` is the words for that.
local function await(self, is_enough, limit, wanted)
  local connection = self.connection
  if is_enough(connection.received, connection.received) then return end
  local how = connection:read(is_enough, limit, self.peer.until_when)
  if how ~= "found" then fail(self, how, wanted) end
end

---Removes bytes from the front of the received data.
local function take(connection, count)
  local taken = connection.received:sub(1, count)
  connection.received = connection.received:sub(count + 1)
  return taken
end

---Reports whether a text is in the received data, the last part of which is new.
local function has(received, news, text)
  return received:find(text, math.max(#received - #news - #text, 0) + 1, true) ~= nil
end

---Reads the next `count` bytes, at most 64 KiB.
---@param count integer
---@return string
function Dialogue:read(count)
  local wanted = count == 1 and "a byte" or count .. " bytes"
  if count > LIMIT then fail(self, "too much", wanted) end
  await(self, function(received) return #received >= count end, LIMIT, wanted)
  return take(self.connection, count)
end

---Reads the next line, without its end, which is LF or CR LF.
---@return string
function Dialogue:read_line()
  await(self, function(received, news) return has(received, news, "\n") end, LIMIT, "a line")
  return (take(self.connection, self.connection.received:find("\n", 1, true)):gsub("\r?\n$", ""))
end

---Reads until a text has come; returns everything that came with it.
---@param text string
---@return string received up to the text and a bit beyond
function Dialogue:read_until(text)
  await(self, function(received, news) return has(received, news, text) end, LIMIT, Peer.quote(text))
  return take(self.connection, #self.connection.received)
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
  received = "", send = function() return "ENOTCONN" end, read = function() return "ENOTCONN" end,
}

---Replaces the connection by one over it. What has come already and was not read is refused: it was not protected.
---@param start fun(peer: bide.Peer, connection: bide.peer.Connection): bide.peer.Connection
function Dialogue:hand_over(start)
  local raw = self.connection
  if raw.received ~= "" then self.peer:fail_of_answer("UnexpectedAnswer", raw.received, "nothing before TLS") end
  self.connection = lost
  self.connection = start(self.peer, raw)
end

-- ---- scripts ----------------------------------------------------------------------------------

local methods = {
  send = Dialogue.send, read = Dialogue.read, read_line = Dialogue.read_line, read_until = Dialogue.read_until,
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

---Holds the dialogue that the options of bide.tcp and bide.unix describe.
---@param peer bide.Peer
---@param connection bide.peer.Connection
---@param options bide.peer.Talk
---@param address string
---@return { address: string, received: string?, answer: any }
function Dialogue.hold(peer, connection, options, address)
  local dialogue = Dialogue.new(peer, connection)
  if options.talk then return { address = address, answer = options.talk(dialogue:for_script()) } end
  if options.send then dialogue:send(options.send) end
  return { address = address, received = options.expect and dialogue:read_until(options.expect) }
end

return Dialogue
