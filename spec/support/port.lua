---Ports of this machine, for servers that a spec starts.

local uv = require "luv"

local M = {}

---The ports that were given out: one that no server listens on yet is still free for the system.
local given = {}

---The first port that Linux gives to connections: one of these may be taken before a server listens on it.
local FIRST_OF_CONNECTIONS = (function()
  local file <close> = io.open "/proc/sys/net/ipv4/ip_local_port_range"
  return file and file:read "n" or 0
end)()

local LEAST = 10000

---Returns a random port below those of connections, or 0 for any if these leave no room.
local function draw()
  local room = FIRST_OF_CONNECTIONS - LEAST
  return room < 10000 and 0 or LEAST + ("<I4"):unpack(uv.random(4)) % room
end

---A port that is free now, for TCP and UDP, and another one with each call.
---@return integer
function M.free()
  local probe, other = uv.new_tcp(), uv.new_udp()
  assert(probe:bind("127.0.0.1", draw()))
  local port = probe:listen(1, function() end) and probe:getsockname().port
  local is_free = port and other:bind("127.0.0.1", port)
  probe:close()
  other:close()
  uv.run("nowait")
  if not is_free or given[port] then return M.free() end
  given[port] = true
  return port
end

---Reports whether this machine has the address ::1.
---@return boolean
function M.has_loopback6()
  local probe = uv.new_tcp()
  local bound = probe:bind("::1", 0)
  probe:close()
  uv.run("nowait")
  return bound ~= nil
end

local function can_connect(port)
  local connected, probe = nil, uv.new_tcp()
  probe:connect("127.0.0.1", port, function(failure) connected = not failure end)
  while connected == nil do uv.run("once") end
  probe:close()
  uv.run("nowait")
  return connected
end

---Waits until the program that was started listens on a port, which takes a loaded machine long.
---@param started spec.Process
---@param port integer
---@param name string for the message where it does not
function M.await(started, port, name)
  local deadline = uv.hrtime() + 60e9
  while not can_connect(port) do
    uv.run("nowait")
    assert(not started.code and uv.hrtime() < deadline, name .. " does not start: " .. started.stderr)
    uv.sleep(10)
  end
end

return M
