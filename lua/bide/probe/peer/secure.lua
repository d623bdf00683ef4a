---TLS over a connection: it has the methods of bide.peer.Connection, and drives a session of bide.secure over the socket.
---Raises what TLS refuses as an operation error: TlsFailure; ConnectionReset if the peer ends without saying so.

local certificates = require "bide.probe.peer.certificates"
local core = require "bide.core"

local loop = core.loop

local RECORD = 16384 -- bytes of a write
local CHUNK = 65536  -- bytes of a read from the socket

---@class bide.peer.Secure
---@field received string
---@field private peer bide.Peer
---@field private raw bide.peer.Connection
---@field private session bide.secure.Session
---@field private host string
---@field private spare string bytes that the session has not taken yet
local Secure = {}
Secure.__index = Secure

---@param peer bide.Peer
---@param raw bide.peer.Connection closes this one with itself
---@param session bide.secure.Session
---@param host string that the certificate is expected to be for
---@return bide.peer.Secure
function Secure.new(peer, raw, session, host)
  local self = setmetatable({
    peer = peer, raw = raw, session = session, host = host, spare = "", received = "",
  }, Secure)
  raw.secure = self
  return self
end

-- ---- failures ---------------------------------------------------------------------------------

local words = {
  ["wrong version number"] = "the answer is not TLS (wrong version number)",
  ["packet length too long"] = "a record is too long",
  ["encrypted length too long"] = "a record is too long",
  ["data length too long"] = "a record is too long",
  ["no renegotiation"] = "the peer insists on a renegotiation",
}

---@param failure bide.secure.Failure
local function fail(self, failure)
  local problem = self.session:problem()
  if problem then
    self.peer:fail("TlsFailure", certificates.explain(self.session, problem, self.host), problem.kind)
  end
  self.peer:fail("TlsFailure", words[failure.message] or failure.message)
end

-- ---- bytes ------------------------------------------------------------------------------------

---Sends what the session has to say.
---@return "sent"|string? how
local function flush(self, at)
  repeat
    local bytes = self.session:drain()
    local how = bytes == "" and "sent" or self.raw:send(bytes, at)
    if how ~= "sent" then return how end
  until bytes == ""
  return "sent"
end

local function is_any() return true end

---Receives something, and feeds it to the session.
---@return "found"|"closed"|string? how
local function receive(self, at)
  if self.spare == "" then
    if loop.update() >= at then return nil end
    local how = self.raw:read(is_any, CHUNK, at)
    if how ~= "found" then return how end
    self.spare, self.raw.received = self.raw.received, ""
  end
  self.spare = self.spare:sub(self.session:feed(self.spare) + 1)
  return "found"
end

local ends = { closed = true, ECONNRESET = true, EPIPE = true }

---Exchanges certificates and keys.
---@param at integer on the loop's clock
---@param find_lack fun(): string? says what bide lacked to know the authority of a certificate
---@return boolean? done
---@return string? lack
function Secure:shake_hands(at, find_lack)
  local state, failure, how
  repeat
    state, failure = self.session:handshake()
    local problem = not state and self.session:problem()
    local lack = problem and problem.kind == "authority" and find_lack() -- now: while flush waits, a descriptor may come free
    how = flush(self, at)
    if lack then return nil, lack end
    if not state then fail(self, failure) end
    if state == "wants" and (how == "sent" or ends[how]) then how = receive(self, at) end
    if ends[how] or state == "closed" then self.peer:fail("ConnectionReset", "it ended within the TLS handshake") end
    if how == nil then self.peer:fail("RequestTimeout", "the TLS handshake did not end") end
    if how ~= "sent" and how ~= "found" then self.peer:fail_of_system(how) end
  until state == "done"
  return true
end

---Raises the alert that a peer sent before it closed, if there is one.
---@param how string the failure of the system
---@return string how
local function look_for_alert(self, at, how)
  while receive(self, at) == "found" do
    local state, failure = self.session:read()
    if not state then fail(self, failure) end
    if state ~= "wants" then break end
  end
  return how
end

---@param bytes string
---@param at integer
---@return "sent"|string? how
function Secure:send(bytes, at)
  for first = 1, #bytes, RECORD do
    local state, failure = self.session:write(bytes:sub(first, first + RECORD - 1))
    local how = flush(self, at)
    if not state then fail(self, failure) end
    if state ~= "done" then self.peer:fail("TlsFailure", "the peer has begun another handshake") end
    if ends[how] then return look_for_alert(self, at, how) end
    if how ~= "sent" then return how end
  end
  return "sent"
end

---Reads until enough has come.
---@param is_enough fun(received: string, news: string): boolean
---@param limit integer the most bytes that are kept until then
---@param at integer
---@return "found"|"closed"|"too much"|string? how
function Secure:read(is_enough, limit, at)
  while true do
    local state, news = self.session:read()
    local how = flush(self, at)
    if not state then fail(self, news) end
    if state == "closed" then return "closed" end
    if state == "done" then
      self.received = self.received .. news
      if is_enough(self.received, news) then return "found" end
      if #self.received >= limit then return "too much" end
    else
      if how == "sent" or ends[how] then how = receive(self, at) end
      if how == "closed" then self.peer:fail("ConnectionReset", "it ended without an end of TLS (close_notify)") end
      if how ~= "found" then return how end
    end
  end
end

---Adds to the received data what has come by now, without waiting.
function Secure:take_ready()
  if self.spare == "" then
    self.raw:take_ready()
    self.spare, self.raw.received = self.raw.received, ""
  end
  while true do
    local state, news = self.session:read()
    if not state then fail(self, news) end
    if state == "done" then
      self.received = self.received .. news
    elseif state == "wants" and self.spare ~= "" then
      self.spare = self.spare:sub(self.session:feed(self.spare) + 1)
    else
      return
    end
  end
end

-- ---- without waiting --------------------------------------------------------------------------

---Sends what the session has to say.
local function push(self, ended)
  repeat
    local bytes = self.session:drain()
    if bytes ~= "" then self.raw:write(bytes, ended) end
  until bytes == ""
end

---Returns the operation error of a failed call of the session.
local function failure_of(self, failure)
  return select(2, pcall(fail, self, failure))
end

---Decrypts what has come, and hands it over. A session that is closed meanwhile is not read again.
local function decrypt(self, take)
  while self.raw.secure do
    local state, news = self.session:read()
    push(self, function(failure)
      if failure then take(nil, failure) end
    end)
    if state == "done" then
      take(news)
    elseif state == "wants" and self.spare ~= "" then
      self.spare = self.spare:sub(self.session:feed(self.spare) + 1)
    else
      if not state then news = failure_of(self, news) end
      if state ~= "wants" then take(nil, news or "closed") end
      return
    end
  end
end

---Hands over what comes, as bide.peer.Connection does. An end without close_notify is a reset.
---@param take fun(bytes: string?, failure: string|table?) the failure of TLS is an operation error
function Secure:follow(take)
  decrypt(self, take) -- what came with the end of the handshake
  if not self.raw.secure then return end
  self.raw:follow(function(bytes, failure)
    if not bytes then return take(nil, failure == "closed" and "ECONNRESET" or failure) end
    self.spare = self.spare .. bytes
    decrypt(self, take)
  end)
end

function Secure:pause()
  self.raw:pause()
end

---Writes without waiting.
---@param bytes string
---@param ended fun(failure: string|table?) as that of bide.peer.Connection; the failure of TLS is an operation error
function Secure:write(bytes, ended)
  for first = 1, #bytes, RECORD do
    local state, failure = self.session:write(bytes:sub(first, first + RECORD - 1))
    push(self, ended)
    if not state then return ended(failure_of(self, failure)) end
    if state ~= "done" then return ended(failure_of(self, { message = "the peer has begun another handshake" })) end
  end
end

---@return integer
function Secure:unwritten()
  return self.raw:unwritten()
end

---@param is_expecting boolean
function Secure:expect(is_expecting)
  self.raw:expect(is_expecting)
end

-- ---- the peer ---------------------------------------------------------------------------------

---Returns the peer's certificate, and what was agreed on.
---@return bide.tls.Peer
function Secure:describe()
  return certificates.describe(self.session)
end

---Returns what binds an authentication to this connection: tls-server-end-point.
---@return string?
function Secure:binding()
  return self.session:binding()
end

---Says that this side ends, if that takes no waiting, and frees the session. The socket is closed next.
---@param handle userdata
function Secure:leave(handle)
  self.session:finish()
  local bytes = self.session:drain()
  if bytes ~= "" and not handle:is_closing() then handle:try_write(bytes) end
  self.session:close()
end

return Secure
