---The sockets of probes: a connection, and datagrams to and from one peer. Closing one ends its running calls.

local await = require "bide.task.await"
local core = require "bide.core"
local descriptors = require "bide.task.descriptors"
local reach = require "bide.probe.asking.reach"
local uv = require "luv"

local loop, network, whole = core.loop, core.network, core.task.whole

---A peer in place of the network, which a test plays.
---@class bide.peer.Conversation
---@field receive fun(self, bytes: string)
---@field next fun(self): string?, boolean? the next bytes, or nil and whether the peer has closed the connection

---Begins such a conversation; returns nil and the system's code of a failure if there is none.
---@type (fun(name: string): bide.peer.Conversation?, string?)?
local begin_conversation

---A connection to an address or a unix socket, which its first step opens: a task may be stopped between any two
---instructions, so what has to be closed is in its variable before it is open. Each step waits until a time, and returns a
---word for its end, the system's code of a failure, or nil if the time came first.
---@class bide.peer.Connection
---@field handle userdata? nil until it is open
---@field holder bide.Descriptors? that counts it
---@field received string
---@field conversation? bide.peer.Conversation in place of a handle
---@field is_own boolean whether it is not for a recipe, and may go where recipes may not
---@field secure? bide.peer.Secure that is over it, and ends before it
local Connection = {}
Connection.__index = Connection

---@param is_path boolean
---@param is_own? boolean
---@return bide.peer.Connection
function Connection.new(is_path, is_own)
  return setmetatable({ is_path = is_path, is_own = is_own or false, received = "" }, Connection)
end

local open_connection = whole(function(connection)
  connection.holder = descriptors.take()
  connection.handle = connection.is_path and uv.new_pipe(false) or uv.new_tcp()
end)

---@return "connected"|string how
local function converse(connection, name)
  local failure
  connection.conversation, failure = begin_conversation(name)
  return connection.conversation and "connected" or failure
end

local REFUSED = "ECONNREFUSED"

---Reports whether a socket is connected to itself. The system does that with a port of this machine without a listener,
---where it happens to give the socket the same one.
local function leads_back(handle)
  local own, peer = handle:getsockname(), handle:getpeername()
  return own and peer and own.port == peer.port and own.ip == peer.ip
end

---@param at integer
---@param address string
---@param port integer
---@return "connected"|string? how
function Connection:to_address(at, address, port)
  if begin_conversation then return converse(self, ("%s:%d"):format(address, port)) end
  if not self.is_own then
    reach.check_address(address, port)
    network.check(address, port)
  end
  open_connection(self)
  local how = await(at, function(waker)
    local request, failure = self.handle:connect(address, port, function(failed) waker(failed or "connected") end)
    if not request then waker(failure) end
  end)
  if how ~= "connected" or not leads_back(self.handle) then return how end
  self.handle:close_reset() -- and leaves no port in TIME_WAIT, which the server to come could not use
  return REFUSED
end

---Why unix sockets may not be used; nil if they may.
local forbidden

---@param at integer
---@param path string
---@return "connected"|string? how
function Connection:to_path(at, path)
  if not self.is_own then reach.check_anywhere "use a unix socket" end
  if forbidden then error({ type = "InvalidAddress", message = ("%s: %s"):format(path, forbidden) }, 0) end
  if begin_conversation then return converse(self, path) end
  open_connection(self)
  return await(at, function(waker)
    local request, failure = self.handle:connect(path, function(failed) waker(failed or "connected") end)
    if not request then waker(failure) end
  end)
end

---@param bytes string
---@param at integer
---@return "sent"|string? how
function Connection:send(bytes, at)
  if self.conversation then
    self.conversation:receive(bytes)
    return "sent"
  end
  return await(at, function(waker)
    local request, failure = self.handle:write(bytes, function(failed) waker(failed or "sent") end)
    if not request then waker(failure) end
  end)
end

---The most bytes that are taken without waiting.
local READY = 64 * 1024

---Adds to the received data what has come by now, without waiting. What has failed shows in the next step.
function Connection:take_ready()
  if self.conversation then return end
  local bytes = uv.fs_read(self.handle:fileno(), READY, -1)
  if bytes then self.received = self.received .. bytes end
end

---Reads until enough has come.
---@param is_enough fun(received: string, news: string): boolean
---@param limit integer the most bytes that are kept until then
---@param at integer
---@return "found"|"closed"|"too much"|string? how
function Connection:read(is_enough, limit, at)
  local function take(failure, bytes)
    if not bytes then return failure or "closed" end
    self.received = self.received .. bytes
    if is_enough(self.received, bytes) then return "found" end
    if #self.received >= limit then return "too much" end
  end
  if self.conversation then
    while true do
      local bytes, is_closed = self.conversation:next()
      if not bytes and not is_closed then return await(at) end
      local how = take(nil, bytes)
      if how then return how end
    end
  end
  return await(at, function(waker)
    self.handle:read_start(function(failure, bytes)
      local how = take(failure, bytes)
      if not how then return end
      self.handle:read_stop()
      waker(how)
    end)
  end)
end

---Hands over what comes, as it comes, until the connection is closed or `pause` is called.
---@param take fun(bytes: string?, failure: string?) the bytes, or the end: "closed", or the system's code
function Connection:follow(take)
  self.handle:read_start(function(failure, bytes)
    if failure or not bytes then return take(nil, failure or "closed") end
    take(bytes)
  end)
end

---Takes no more bytes, until `follow` is called again.
function Connection:pause()
  if not self.handle:is_closing() then self.handle:read_stop() end
end

---Writes without waiting.
---@param bytes string
---@param ended fun(failure: string?) called where not all is written at once, when that is over; with the system's code if
---it failed
function Connection:write(bytes, ended)
  local count = self.handle:get_write_queue_size() == 0 and self.handle:try_write(bytes) or 0
  if count == #bytes then return end
  local request, failure = self.handle:write(count == 0 and bytes or bytes:sub(count + 1), ended)
  if not request then ended(failure) end
end

---Returns the number of bytes that were written and wait for the peer.
---@return integer
function Connection:unwritten()
  return self.handle:get_write_queue_size()
end

---Says whether the loop runs on for what this connection may receive.
---@param is_expecting boolean
function Connection:expect(is_expecting)
  if self.handle:is_closing() then return end
  if is_expecting then self.handle:ref() else self.handle:unref() end
end

---Closes the handle of luv, which may be closed already. Outside the loop, waits until it is closed: plain lua5.4 may end
---next, and luv would then free handles that are still closing.
---@param owner bide.peer.Connection|bide.peer.Datagrams
local function close_handle(owner)
  if owner.conversation then return end
  local handle = owner.handle
  descriptors.give(owner.holder)
  owner.holder = nil
  if handle and not handle:is_closing() then handle:close() end
  loop.settle()
end

Connection.__close = whole(function(self)
  if self.secure then self.secure:leave(self.handle) end
  self.secure = nil
  close_handle(self)
end)

-- ---- datagrams ------------------------------------------------------------------------------

---A UDP socket that is bound to one peer: it receives datagrams from that peer alone, and the system reports if no
---program listens there.
---@class bide.peer.Datagrams
local Datagrams = {}
Datagrams.__index = Datagrams

---Returns a socket that `to_address` opens.
---@return bide.peer.Datagrams
function Datagrams.new()
  return setmetatable({}, Datagrams)
end

---@type fun(self: bide.peer.Datagrams, address: string, port: integer): integer?, string?
local open_datagrams = whole(function(datagrams, address, port)
  datagrams.holder = descriptors.take()
  datagrams.handle = uv.new_udp()
  local done, failure = datagrams.handle:connect(address, port)
  if done and leads_back(datagrams.handle) then return nil, REFUSED end
  return done, failure
end)

---@param address string
---@param port integer
---@return integer? done
---@return string? failure the system's word
function Datagrams:to_address(address, port)
  if begin_conversation then
    local failure
    self.conversation, failure = begin_conversation(("%s:%d"):format(address, port))
    return self.conversation and 0 or nil, failure
  end
  reach.check_address(address, port)
  network.check(address, port)
  return open_datagrams(self, address, port)
end

---Sends a datagram in a conversation, and receives its answer.
local function exchange_in_conversation(self, bytes, is_wanted, at)
  self.conversation:receive(bytes)
  local received = self.conversation:next()
  while received and not is_wanted(received) do received = self.conversation:next() end
  if not received then await(at) end
  return received
end

local function send(self, bytes, at)
  return await(at, function(waker)
    local request, failure = self.handle:send(bytes, nil, nil, function(failed) waker(failed or "sent") end)
    if not request then waker(failure) end
  end)
end

---Receives an answer. A datagram that is longer than the buffer arrives in part, and is ignored.
local function receive(self, is_wanted, at)
  local received, failure = await(at, function(waker)
    self.handle:recv_start(function(failed, bytes, _, flags)
      if failed then return waker(nil, failed) end
      if bytes and not flags.partial and is_wanted(bytes) then waker(bytes) end
    end)
  end)
  self.handle:recv_stop()
  return received, failure
end

---Sends a datagram, repeats it if `again` is given, and waits until a wanted one arrives.
---@param bytes string
---@param is_wanted fun(received: string): boolean
---@param again integer? milliseconds between repetitions; nil sends it once
---@param at integer on the loop's clock
---@return string? received
---@return string? failure the system's code; nil if the time came first
function Datagrams:exchange(bytes, is_wanted, again, at)
  if self.conversation then return exchange_in_conversation(self, bytes, is_wanted, at) end
  repeat
    local sent = send(self, bytes, at)
    if sent ~= "sent" then return nil, sent end
    local turn = again and math.min(loop.update() + again, at) or at
    local received, failure = receive(self, is_wanted, turn)
    if received or failure then return received, failure end
  until loop.update() >= at
end

Datagrams.__close = whole(close_handle)

---Refuses all unix sockets from now on.
---@param reason string
local function forbid_paths(reason)
  forbidden = reason
end

---Lets all connections and datagrams from now on be conversations; nil lets them be real again.
---@param begin (fun(name: string): bide.peer.Conversation?, string?)?
local function converse_with(begin)
  begin_conversation = begin
end

return { Connection = Connection, Datagrams = Datagrams, converse = converse_with, forbid_paths = forbid_paths }
