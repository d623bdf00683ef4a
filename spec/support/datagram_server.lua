---A UDP server within the spec's own process: it answers while the spec waits, since both are on one loop.
---
---    local server = DatagramServer.start(function(bytes, reply) reply("pong") end)
---    udp { host = "127.0.0.1", port = server.port, send = "ping" }
---    server:close()

local lifetime = require "spec.support.lifetime"
local uv = require "luv"

---@class spec.DatagramServer
---@field port integer
---@field received string[] every datagram that came
local DatagramServer = {}
DatagramServer.__index = DatagramServer
lifetime(DatagramServer)

---@param answer? fun(bytes: string, reply: fun(bytes: string), count: integer)
---@param options? { host: string?, port: integer? } 127.0.0.1 and any free port otherwise
function DatagramServer:begin(answer, options)
  options = options or {}
  self.handle, self.received = uv.new_udp(), {}
  assert(self.handle:bind(options.host or "127.0.0.1", options.port or 0))
  self.port = self.handle:getsockname().port
  self.handle:recv_start(function(_, bytes, from)
    if not bytes then return end
    table.insert(self.received, bytes)
    if not answer then return end
    answer(bytes, function(text)
      if not self.handle:is_closing() then self.handle:send(text, from.ip, from.port) end
    end, #self.received)
  end)
end

function DatagramServer:close()
  if not self.handle:is_closing() then self.handle:close() end
  uv.run("nowait")
end

return DatagramServer
