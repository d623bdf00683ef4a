---A scripted HTTP/1.1 server within the spec's own process: it answers while the
---spec waits, since both are on one loop.
---
---    local server = Server.start(function(request)
---      return { status = 200, body = '{"status":"success"}' }
---    end)
---    http.get(server.url .. "/things/1")
---    server:close()
---
---What the handler returns: `status` (200), `headers`, `body`, and
---  chunked = true   the body in chunks, without a length
---  delay = seconds  before the answer
---  close = true     closes the connection behind the answer
---  silent = true    no answer at all
---
---With `raw = function(peer, bytes)` the server speaks no HTTP: the function is
---called with what came, and does what it likes with `peer:write(bytes)`,
---`peer:finish()` and `peer:reset()`.

local lifetime = require "spec.support.lifetime"
local uv = require "luv"

local phrases = { [200] = "OK", [204] = "No Content", [404] = "Not Found" }

---@class spec.Server
---@field url string "http://127.0.0.1:port"; "http://localhost" over a unix socket
---@field port? integer
---@field connections integer how many were accepted
---@field requests table[] every request: method, target, path, query, headers, body, connection
local Server = {}
Server.__index = Server
lifetime(Server)

---@class spec.Peer
local Peer = {}
Peer.__index = Peer

---------------------------------------------------------------- peers

function Peer:write(bytes)
  if not self.handle:is_closing() then self.handle:write(bytes) end
end

function Peer:stop()
  if self.timer and not self.timer:is_closing() then self.timer:close() end
  self.server.peers[self] = nil
  if not self.handle:is_closing() then self.handle:close() end
end

---Closes when all that was written is gone.
function Peer:finish()
  if self.handle:is_closing() then return end
  self.handle:shutdown(function() self:stop() end)
end

---Closes with a reset, which the other side sees as an error.
function Peer:reset()
  self.server.peers[self] = nil
  if not self.handle:is_closing() then self.handle:close_reset() end
end

---Calls `f` after `seconds`, and again each `seconds` where `again` is set.
function Peer:later(seconds, f, again)
  if self.timer and not self.timer:is_closing() then self.timer:close() end
  self.timer = uv.new_timer()
  uv.update_time() -- a timer counts from the time that the loop knows, which may be long ago
  self.timer:start(math.ceil(seconds * 1000), again and math.ceil(seconds * 1000) or 0, f)
end

---------------------------------------------------------------- requests

local function read_headers(head)
  local headers = {}
  for name, value in head:gmatch("\r\n([^:\r\n]+):[ \t]*([^\r\n]*)") do
    name = name:lower()
    headers[name] = headers[name] and headers[name] .. ", " .. value or value
  end
  return headers
end

---@return string? body, integer? next position
local function read_chunked(bytes, at)
  local body = {}
  while true do
    local size, from = bytes:match("^(%x+)[^\r\n]*\r\n()", at)
    if not size then return nil end
    size = tonumber(size, 16)
    if #bytes < from + size + 1 then return nil end
    if size == 0 then return table.concat(body), from + 2 end
    body[#body + 1] = bytes:sub(from, from + size - 1)
    at = from + size + 2
  end
end

local function read_body(headers, bytes, at)
  if headers["transfer-encoding"] == "chunked" then return read_chunked(bytes, at) end
  local length = tonumber(headers["content-length"] or 0)
  if #bytes < at + length - 1 then return nil end
  return bytes:sub(at, at + length - 1), at + length
end

---Takes one whole request off the front of what came; nil where it is not all there.
local function take_request(peer)
  local bytes = peer.bytes
  local head, at = bytes:match("^(.-\r\n)\r\n()")
  if not head then return nil end
  local request = { headers = read_headers(head), connection = peer.number }
  request.method, request.target, request.version = head:match("^(%S+) (%S+) HTTP/(%S+)\r\n")
  request.path, request.query = (request.target or ""):match("^([^?]*)%??(.*)$")
  local after
  request.body, after = read_body(request.headers, bytes, at)
  if not request.body then return nil end
  peer.bytes = bytes:sub(after)
  return request
end

---------------------------------------------------------------- answers

local function add_chunks(lines, body)
  for at = 1, #body, 4096 do
    local part = body:sub(at, at + 4095)
    lines[#lines + 1] = ("%x\r\n%s\r\n"):format(#part, part)
  end
  lines[#lines + 1] = "0\r\n\r\n"
end

local function write_answer(answer, request)
  local status, body = answer.status or 200, answer.body or ""
  local lines = { ("HTTP/1.1 %d %s\r\n"):format(status, phrases[status] or "Status") }
  for name, value in pairs(answer.headers or {}) do
    for _, item in ipairs(type(value) == "table" and value or { value }) do
      lines[#lines + 1] = ("%s: %s\r\n"):format(name, item)
    end
  end
  if answer.close then lines[#lines + 1] = "Connection: close\r\n" end
  if answer.chunked then
    lines[#lines + 1] = "Transfer-Encoding: chunked\r\n"
  elseif status ~= 204 and status ~= 304 then
    lines[#lines + 1] = ("Content-Length: %d\r\n"):format(#body)
  end
  lines[#lines + 1] = "\r\n"
  if request.method ~= "HEAD" then
    if answer.chunked then add_chunks(lines, body) else lines[#lines + 1] = body end
  end
  return table.concat(lines)
end

local function send_answer(peer, request, answer)
  if answer.silent then return end
  local function send()
    peer:write(write_answer(answer, request))
    if answer.close then peer:finish() end
  end
  if answer.delay then peer:later(answer.delay, send) else send() end
end

local function serve(peer)
  local server = peer.server
  for request in take_request, peer do
    table.insert(server.requests, request)
    local good, answer = xpcall(server.handler, debug.traceback, request)
    send_answer(peer, request, good and (answer or {}) or { status = 500, body = answer })
  end
end

---------------------------------------------------------------- the server

local function on_bytes(peer, bytes)
  if peer.server.raw then return peer.server.raw(peer, bytes) end
  peer.bytes = peer.bytes .. bytes
  serve(peer)
end

local function accept(server)
  local handle = server.path and uv.new_pipe(false) or uv.new_tcp()
  server.listener:accept(handle)
  server.connections = server.connections + 1
  local peer = setmetatable({
    server = server, handle = handle, bytes = "", number = server.connections,
  }, Peer)
  server.peers[peer] = true
  if server.connected then server.connected(peer) end
  if handle:is_closing() then return end
  handle:read_start(function(failure, bytes)
    if failure or not bytes then return peer:stop() end
    on_bytes(peer, bytes)
  end)
end

local function listen(server, host, port)
  if server.path then
    server.listener = uv.new_pipe(false)
    assert(server.listener:bind(server.path))
    server.url = "http://localhost"
  else
    server.listener = uv.new_tcp()
    assert(server.listener:bind(host, port))
    server.port = server.listener:getsockname().port
    local shown = host:find(":", 1, true) and "[" .. host .. "]" or host
    server.url = ("http://%s:%d"):format(shown, server.port)
  end
  assert(server.listener:listen(128, function(failure)
    assert(not failure, failure)
    accept(server)
  end))
end

---@class spec.ServerOptions
---@field host? string 127.0.0.1 otherwise
---@field port? integer any free one otherwise
---@field unix_socket? string a path to listen on instead
---@field raw? fun(peer: spec.Peer, bytes: string)
---@field connected? fun(peer: spec.Peer) called when a connection was accepted

---@param handler? fun(request: table): table?
---@param options? spec.ServerOptions
function Server:begin(handler, options)
  options = options or {}
  self.handler, self.raw, self.connected, self.path = handler, options.raw, options.connected, options.unix_socket
  self.connections, self.requests, self.peers = 0, {}, {}
  listen(self, options.host or "127.0.0.1", options.port or 0)
end

---How many connections are open now.
function Server:open_connections()
  local count = 0
  for _ in pairs(self.peers) do count = count + 1 end
  return count
end

---The last request.
function Server:last()
  return self.requests[#self.requests]
end

---Closes the connections, not the server.
function Server:drop()
  for peer in pairs(self.peers) do peer:stop() end
  uv.run("nowait")
end

---Closes everything. Waits until the handles are gone.
function Server:close()
  if self.listener:is_closing() then return end
  self.listener:close()
  self:drop()
end

return Server
