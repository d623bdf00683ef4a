---openssl's server for specs of TLS: it prints what a client sends, and sends what the spec says. A line "R" is
---an order to it, unless it is quiet: it asks the client for a renegotiation.
---
---    local server = TlsServer.start(directory, { "-cert", "server.pem", "-key", "server.key" })
---    server:say "hello\n"
---    server:close()

local lifetime = require "spec.support.lifetime"
local port_of = require "spec.support.port"
local service = require "spec.support.service"

---@class spec.TlsServer
---@field port integer
---@field process spec.Process
---@field private service spec.Service
local TlsServer = {}
TlsServer.__index = TlsServer
lifetime(TlsServer)

---@param directory spec.Directory the server's folder
---@param options string[] of `openssl s_server`
---@param port? integer a free one by default
function TlsServer:begin(directory, options, port)
  port = port or port_of.free()
  local words = ("rm -f orders; mkfifo orders; exec openssl s_server -accept 127.0.0.1:%d \"$@\" <>orders"):format(port)
  local started = service.start({ "sh", "-c", words, "server", table.unpack(options) }, { cwd = directory.path })
  port_of.await(started.process, port, "openssl s_server")
  self.port, self.service, self.process, self.orders = port, started, started.process, directory.path .. "/orders"
end

---@param text string
function TlsServer:say(text)
  local handle = assert(io.open(self.orders, "w"))
  handle:write(text)
  handle:close()
end

---Waits until it has written something that fits a pattern.
---@param pattern string
function TlsServer:await(pattern)
  self.process:wait_for_output(pattern)
end

---@param signal? string sigterm otherwise
function TlsServer:close(signal)
  self.service:stop(signal)
end

return TlsServer
