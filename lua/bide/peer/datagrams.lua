---A UDP socket that is bound to one peer: it gets what comes from there and nothing else, and the system tells it where
---nobody listens. Closing it breaks off whatever is under way.

local await = require "bide.tasks.await"
local close = require("bide.peer.connection").close_handle
local core = require "bide.core"
local uv = require "luv"

local loop = core.loop

---@class bide.peer.Datagrams
local Datagrams = {}
Datagrams.__index = Datagrams

---@param address string
---@param port integer
---@return bide.peer.Datagrams? socket
---@return string? failure the system's word
function Datagrams.open(address, port)
  local handle = uv.new_udp()
  local connected, failure = handle:connect(address, port)
  if connected then return setmetatable({ handle = handle }, Datagrams) end
  close(handle)
  return nil, failure
end

local function send(self, bytes, at)
  return await(at, function(waker)
    local request, failure = self.handle:send(bytes, nil, nil, function(failed) waker(failed or "sent") end)
    if not request then waker(failure) end
  end)
end

---A datagram that is longer than the buffer is handed on in part, and is not what was sent.
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

---Sends, and again each so often where that is asked for, until a datagram comes that is wanted.
---@param bytes string
---@param is_wanted fun(received: string): boolean
---@param again integer? milliseconds; once only, where it is nil
---@param at integer on the loop's clock
---@return string? received
---@return string? failure the system's word; nil where the time came first
function Datagrams:exchange(bytes, is_wanted, again, at)
  repeat
    local sent = send(self, bytes, at)
    if sent ~= "sent" then return nil, sent end
    local turn = again and math.min(loop.update() + again, at) or at
    local received, failure = receive(self, is_wanted, turn)
    if received or failure then return received, failure end
  until loop.update() >= at
end

function Datagrams:__close()
  close(self.handle)
end

return Datagrams
