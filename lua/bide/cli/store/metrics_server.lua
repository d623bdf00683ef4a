---Serves the numbers of a worker to a monitor, by HTTP: GET /metrics and GET /healthz. It reads a request's first line and
---nothing else of it, and closes each connection after its answer.

local core = require "bide.core"
local luv = require "luv"
local option = require "bide.text.option"

local M = {}

---The connections at a time, the bytes of a request, and the milliseconds that a connection may last.
local MOST, LONGEST, TIME = 16, 8192, 5000

---The answer to a request.
---@class bide.cli.Answer
---@field [1] integer status
---@field [2] string body
---@field type? string text/plain if it is nil

local reasons = { [200] = "OK", [400] = "Bad Request", [404] = "Not Found", [405] = "Method Not Allowed",
  [503] = "Service Unavailable" }

---Reads the address to serve at: `HOST:PORT`, where the host is an address.
---@param text string
---@return { host: string, port: integer }? place
---@return string? mistake
function M.read(text)
  local host, port = text:match "^%[(.*)%]:(%d+)$"
  if not host then host, port = text:match "^([^:]*):(%d+)$" end
  local number = math.tointeger(tonumber(port))
  host = host == "localhost" and "127.0.0.1" or host
  if not host or not core.resolver.family_of(host) or number > 65535 then
    return nil, option.expected("an address and a port, such as 127.0.0.1:9464 or [::]:9464", text)
  end
  return { host = host, port = number }
end

---@param answers table<string, fun(): bide.cli.Answer> by path
---@param request string
---@return bide.cli.Answer
---@return boolean? is_head
local function answer_to(answers, request)
  local method, path = request:match "^(%u+) (/[^%s?]*)%S* HTTP/1%.[01]\r?\n"
  if not method then return { 400, "expected a request of HTTP/1.1\n" } end
  if method ~= "GET" and method ~= "HEAD" then return { 405, "expected GET\n" } end
  local answer = answers[path]
  return answer and answer() or { 404, "there are /metrics and /healthz\n" }, method == "HEAD"
end

local function written(answer, is_head)
  return table.concat({
    ("HTTP/1.1 %d %s"):format(answer[1], reasons[answer[1]]),
    "Content-Type: " .. (answer.type or "text/plain; charset=utf-8"), ("Content-Length: %d"):format(#answer[2]),
    "Connection: close", "", is_head and "" or answer[2],
  }, "\r\n")
end

---Reads the request of a connection, answers it, and closes.
local function serve(server, connection)
  local received, alarm = "", nil
  local function close()
    if connection:is_closing() then return end
    alarm:stop()
    connection:close()
    server.open = server.open - 1
  end
  server.open = server.open + 1
  alarm = core.loop.alarm(close)
  alarm:start(core.loop.update() + TIME)
  connection:read_start(function(failure, bytes)
    if failure or not bytes then return close() end
    received = received .. bytes
    if not received:find "\r?\n\r?\n" and #received <= LONGEST then return end
    connection:read_stop()
    if not connection:write(written(answer_to(server.answers, received)), close) then close() end
  end)
end

---Accepts a connection, and closes it at once if there are too many.
local function accept(server)
  local connection = luv.new_tcp()
  if not connection then return end
  if server.handle:accept(connection) and server.open < MOST then return serve(server, connection) end
  connection:close()
end

---@class bide.cli.MetricsServer
---@field url string
local Server = {}
Server.__index = Server

function Server:close()
  if not self.handle:is_closing() then self.handle:close() end
end

---Begins to serve. It has to begin before walls are raised, behind which no socket can begin to listen.
---@param place { host: string, port: integer }
---@param answers table<string, fun(): bide.cli.Answer> by path; they may not wait
---@return bide.cli.MetricsServer?
---@return string? mistake
function M.open(place, answers)
  local handle = luv.new_tcp()
  local server = setmetatable({ handle = handle, open = 0, answers = answers }, Server)
  local done, mistake = handle:bind(place.host, place.port)
  if done then done, mistake = handle:listen(64, function(failure) if not failure then accept(server) end end) end
  local bound = done and handle:getsockname()
  if not bound then
    handle:close()
    return nil, mistake
  end
  server.url = (bound.ip:find(":", 1, true) and "http://[%s]:%d" or "http://%s:%d"):format(bound.ip, bound.port)
  return server
end

return M
