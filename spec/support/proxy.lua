---A proxy within the spec's own process, between clients and a server of this machine: it forwards, delays, and stops as a
---network does that loses packets: nothing is closed and nothing is reset, in one direction or in both.
---
---    local proxy = Proxy.start(server.port)
---    proxy:stop "both"              -- or "to_server", "to_client"
---    proxy:resume()                 -- what was held back goes on
---    proxy.delay = 50               -- milliseconds, in each direction
---    proxy.change = function(bytes, to) return … end  -- what "server" or "client" gets in place of what the other one sent
---    proxy:reset()                  -- breaks all connections off
---    proxy:close()

local uv = require "luv"

---@class spec.Proxy
---@field port integer
---@field delay integer
---@field connections integer how many were accepted
---@field change? fun(bytes: string, to: "client"|"server"): string
local Proxy = {}
Proxy.__index = Proxy

local function end_pair(proxy, pair)
  proxy.pairs[pair] = nil
  for _, side in ipairs { "client", "server" } do
    if not pair[side]:is_closing() then pair[side]:close() end
  end
end

---Writes bytes, or closes where they are nil.
local function deliver(proxy, pair, to, bytes)
  if pair[to]:is_closing() then return end
  if bytes then pair[to]:write(bytes) else end_pair(proxy, pair) end
end

local function pump(proxy, pair, from, to)
  if proxy.stopped["to_" .. to] or pair[from]:is_closing() then return end
  pair[from]:read_start(function(_, bytes)
    if bytes and proxy.change then bytes = proxy.change(bytes, to) end
    if proxy.delay == 0 then return deliver(proxy, pair, to, bytes) end
    local timer = uv.new_timer()
    timer:start(proxy.delay, 0, function()
      timer:close()
      deliver(proxy, pair, to, bytes)
    end)
  end)
end

local function accept(proxy)
  local pair = { client = uv.new_tcp(), server = uv.new_tcp() }
  proxy.listener:accept(pair.client)
  proxy.connections, proxy.pairs[pair] = proxy.connections + 1, true
  pair.server:connect("127.0.0.1", proxy.target, function(failure)
    if failure then return end_pair(proxy, pair) end
    pair.is_connected = true
    pump(proxy, pair, "client", "server")
    pump(proxy, pair, "server", "client")
  end)
end

---@param target integer the server's port
---@param own? integer the port of one that was closed, which this one is in place of
---@return spec.Proxy
function Proxy.start(target, own)
  local proxy = setmetatable({ target = target, delay = 0, connections = 0, pairs = {}, stopped = {} }, Proxy)
  proxy.listener = uv.new_tcp()
  assert(proxy.listener:bind("127.0.0.1", own or 0))
  proxy.port = proxy.listener:getsockname().port
  assert(proxy.listener:listen(128, function(failure)
    assert(not failure, failure)
    accept(proxy)
  end))
  return proxy
end

---Forwards nothing more in a direction, of old and new connections.
---@param direction "to_server"|"to_client"|"both"
function Proxy:stop(direction)
  local sides = direction == "both" and { to_server = "client", to_client = "server" }
    or { [direction] = direction == "to_server" and "client" or "server" }
  for name, from in pairs(sides) do
    self.stopped[name] = true
    for pair in pairs(self.pairs) do
      if not pair[from]:is_closing() then pair[from]:read_stop() end
    end
  end
end

---Forwards again in both directions.
function Proxy:resume()
  self.stopped = {}
  for pair in pairs(self.pairs) do
    if pair.is_connected then
      pump(self, pair, "client", "server")
      pump(self, pair, "server", "client")
    end
  end
end

---Breaks all connections off, as both sides see it.
function Proxy:reset()
  for pair in pairs(self.pairs) do
    self.pairs[pair] = nil
    for _, side in ipairs { "client", "server" } do
      if not pair[side]:is_closing() then pair[side]:close_reset() end
    end
  end
end

---Ends it and its connections.
function Proxy:close()
  for pair in pairs(self.pairs) do end_pair(self, pair) end
  if not self.listener:is_closing() then self.listener:close() end
  uv.run "nowait"
end

return Proxy
