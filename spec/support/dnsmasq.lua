---dnsmasq: a name server with the records of a spec, on a port of its own.

local port_of = require "spec.support.port"
local process = require "spec.support.process"

local Dnsmasq = {}
Dnsmasq.__index = Dnsmasq

local frame = [[
port=%d
listen-address=127.0.0.1
bind-interfaces
no-resolv
no-hosts
keep-in-foreground
pid-file
user=%s
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
  directory:write("dnsmasq.conf", frame:format(port, os.getenv "USER" or "root", directory.path, lines))
  local started = process.start({ "dnsmasq", "--conf-file=" .. directory.path .. "/dnsmasq.conf" },
    { tool = true, longest = 3600, env = { PATH = (os.getenv "PATH" or "") .. ":/usr/sbin" } })
  port_of.await(started, port, "dnsmasq")
  started:hold_loop(false)
  return setmetatable({ port = port, process = started, directory = directory }, Dnsmasq)
end

---Has it know other hosts from now on: "10.0.0.1 web.example".
---@param lines string
function Dnsmasq:write_hosts(lines)
  self.directory:write("hosts", lines)
  self.process:kill "sighup"
end

function Dnsmasq:stop()
  self.process:kill "sigterm"
  self.process:wait()
end

return Dnsmasq
