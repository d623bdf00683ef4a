---A service manager of systemd for the user who runs the specs, with units of its own. systemd runs only where the
---machine was booted by it, or what it looks at says so: it gets a folder /run of its own.

local uv = require "luv"
local process = require "spec.support.process"
local service = require "spec.support.service"

local Systemd = {}
Systemd.__index = Systemd

local script = [[
mount -t tmpfs tmpfs /run && mkdir -p /run/systemd/system && exec "$MANAGER" --user --unit=basic.target
]]

---Starts it, in a directory that is short enough for its sockets, and waits until it answers.
---@param directory spec.Directory
---@return table? systemd
---@return string? missing why there is none
function Systemd.start(directory)
  local manager, missing = service.find("systemd", "systemd", "/lib/systemd")
  if not manager then return nil, missing end
  local environment = {
    XDG_RUNTIME_DIR = directory.path, XDG_CONFIG_HOME = directory.path .. "/config", HOME = directory.path,
    DBUS_SESSION_BUS_ADDRESS = false, MANAGER = manager,
  }
  local started = service.start({ "unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script },
    { env = environment })
  local systemd = setmetatable({ service = started, directory = directory, env = environment }, Systemd)
  local deadline = uv.hrtime() + 10e9
  while systemd:control("show", "--property=Version").code ~= 0 do
    if started.process.code or uv.hrtime() > deadline then
      systemd:stop()
      return nil, "systemd cannot run here: " .. started.process.stderr
    end
    uv.sleep(20)
  end
  return systemd
end

---Runs systemctl.
---@return spec.Process
function Systemd:control(...)
  return process.run({ "systemctl", "--user", ... }, { tool = true, env = self.env })
end

---Writes a unit and starts it.
---@param name string
---@param text string
function Systemd:run(name, text)
  local folder = self.directory.path .. "/systemd/user"
  uv.fs_mkdir(folder, 448)
  self.directory:write("systemd/user/" .. name, text)
  self:control "daemon-reload"
  return self:control("start", "--no-block", name)
end

---Ends it, and all that it started.
function Systemd:stop()
  self.service:stop "sigterm"
end

return Systemd
