---dnsmasq: a name server with the records of a spec, on a port of its own.

local port_of = require "spec.support.port"
local service = require "spec.support.service"

local Dnsmasq = {}
Dnsmasq.__index = Dnsmasq

local program
program, Dnsmasq.missing = service.find("dnsmasq", "dnsmasq-base")

local frame = [[
port=%d
listen-address=127.0.0.1
bind-interfaces
no-resolv
no-hosts
keep-in-foreground
pid-file
user=
addn-hosts=%s/hosts
local=/example/
%s
]]

---Starts it with lines of its configuration, and waits until it listens. It knows the domain `example`.
---@param directory spec.Directory
---@param lines string
---@param port? integer any free one otherwise
function Dnsmasq.start(directory, lines, port)
  port = port or port_of.free()
  directory:write("hosts", "")
  directory:write("dnsmasq.conf", frame:format(port, directory.path, lines))
  local started = service.start { program, "--conf-file=" .. directory.path .. "/dnsmasq.conf" }
  port_of.await(started.process, port, "dnsmasq")
  return setmetatable({ port = port, service = started, directory = directory }, Dnsmasq)
end

---Has it know other hosts from now on: "10.0.0.1 web.example".
---@param lines string
function Dnsmasq:write_hosts(lines)
  self.directory:write("hosts", lines)
  self.service.process:kill "sighup"
end

function Dnsmasq:stop()
  self.service:stop()
end

return Dnsmasq
