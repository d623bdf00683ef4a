---nginx for what the scripted server does not do: TLS, HTTP/2, compression, speed.

local port_of = require "spec.support.port"
local service = require "spec.support.service"

local Nginx = {}
Nginx.__index = Nginx

local frame = [[
daemon off;
master_process off;
pid nginx.pid;
error_log stderr warn;
events { worker_connections 8192; }
worker_rlimit_nofile 9000;
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

---Writes the configuration of an nginx with the blocks of an http section, in which PORT stands for the port; it does not
---run yet.
---@param directory spec.Directory
---@param blocks string
function Nginx.new(directory, blocks)
  local nginx = setmetatable({ port = port_of.free(), directory = directory }, Nginx)
  directory:write("nginx.conf", frame:format((blocks:gsub("PORT", tostring(nginx.port)))))
  return nginx
end

---Starts nginx with the blocks of an http section, and waits until it listens.
---@param directory spec.Directory
---@param blocks string
function Nginx.start(directory, blocks)
  local nginx = Nginx.new(directory, blocks)
  nginx:restart()
  return nginx
end

---Starts it, on the port that it has, and waits until it listens.
function Nginx:restart()
  local path = self.directory.path
  self.service = service.start { "nginx", "-p", path .. "/", "-c", path .. "/nginx.conf" }
  port_of.await(self.service.process, self.port, "nginx")
end

function Nginx:stop()
  if self.service then self.service:stop() end
end

return Nginx
