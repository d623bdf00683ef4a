---nginx for what the scripted server does not do: TLS, HTTP/2, compression, speed.

local uv = require "luv"
local process = require "spec.support.process"

local Nginx = {}
Nginx.__index = Nginx

local frame = [[
daemon off;
master_process off;
pid nginx.pid;
error_log stderr warn;
events {}
http {
  access_log off;
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  keepalive_requests 1000000;
%s
}
]]

---A port that is free now.
local function free_port()
  local probe = uv.new_tcp()
  assert(probe:bind("127.0.0.1", 0))
  local port = probe:getsockname().port
  probe:close()
  uv.run("nowait")
  return port
end

local function can_connect(port)
  local connected, probe = nil, uv.new_tcp()
  probe:connect("127.0.0.1", port, function(failure) connected = not failure end)
  while connected == nil do uv.run("once") end
  probe:close()
  uv.run("nowait")
  return connected
end

---Starts nginx with the blocks of an http section, in which PORT stands for the
---port, and waits until it listens.
---@param directory spec.Directory
---@param blocks string
function Nginx.start(directory, blocks)
  local port = free_port()
  local conf = frame:format((blocks:gsub("PORT", tostring(port))))
  directory:write("nginx.conf", conf)
  local started = process.start(
    { "nginx", "-p", directory.path .. "/", "-c", directory.path .. "/nginx.conf" },
    { tool = true, longest = 3600 })
  local deadline = uv.hrtime() + 5e9
  while not can_connect(port) do
    uv.run("nowait")
    assert(not started.code and uv.hrtime() < deadline, "nginx does not start: " .. started.stderr)
    uv.sleep(10)
  end
  started:hold_loop(false)
  return setmetatable({ port = port, process = started }, Nginx)
end

function Nginx:stop()
  self.process:kill("sigterm")
  self.process:wait()
end

return Nginx
