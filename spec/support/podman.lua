---Podman's API of the spec's own, with an image that holds busybox, as spec.support.dockerd has Docker's. It needs root and
---Debian's packages podman, busybox-static and runc; elsewhere `start` says what is missing.

local Directory = require "spec.support.directory"
local process = require "spec.support.process"
local service = require "spec.support.service"
local uv = require "luv"

---@class spec.Podman
---@field socket string
---@field directory spec.Directory
---@field service spec.Service
local Podman = {}
Podman.__index = Podman

local M = {}

---Returns a command of Podman over the store of the spec.
---@param place string
---@param ... string
---@return string[]
local function command(place, ...)
  return { "/usr/bin/env", "XDG_RUNTIME_DIR=" .. place, "podman", "--root", place .. "/store", "--runroot", place .. "/run",
    "--storage-driver", "vfs", "--cgroup-manager", "cgroupfs", "--events-backend", "file", "--runtime", "runc", ... }
end

---@param ... string
---@return spec.Process
function Podman:try(...)
  return process.run(command(self.directory.path, ...), { tool = true })
end

---Runs Podman, and returns what it wrote.
---@param ... string
---@return string
function Podman:podman(...)
  local done = self:try(...)
  assert(done.code == 0, done.stderr)
  return (done.stdout:gsub("%s+$", ""))
end

---Makes or starts a container that runs a line of the shell, with limits that need no further rights.
---@param how "create"|"run"
---@param name string
---@param line string
---@param ... string further options
function Podman:make(how, name, line, ...)
  local words = { how, "--network", "host", "--ulimit", "nofile=1024:1024", "--ulimit", "nproc=1024:1024", "--log-driver",
    "k8s-file", "--name", name, ... }
  if how == "run" then words[#words + 1] = "--detach" end
  for _, word in ipairs { "busybox:spec", "sh", "-c", line } do words[#words + 1] = word end
  return self:podman(table.unpack(words))
end

function Podman:clear() self:try("rm", "--force", "--all", "--time", "0") end

function Podman:stop()
  self:clear()
  self.service:stop()
  os.execute(("umount %s/store/vfs 2>/dev/null; rm -rf %s"):format(self.directory.path, self.directory.path))
end

---Starts the service of the API.
---@return spec.Podman?
---@return string? missing
function M.start()
  local paths = {}
  for package, program in pairs { podman = "podman", runc = "runc", ["busybox-static"] = "busybox" } do
    local missing
    paths[program], missing = service.find(program, package, program == "busybox" and "/bin" or nil)
    if not paths[program] then return nil, missing end
  end
  if uv.getuid() ~= 0 then return nil, "Podman needs root here" end
  local self = setmetatable({ directory = Directory.make() }, Podman)
  local place = self.directory.path
  self.socket = place .. "/podman.sock"
  self.service = service.start(command(place, "system", "service", "--time=0", "unix://" .. self.socket))
  local ok, failure = pcall(function()
    self:podman("import", service.pack_busybox(self.directory, paths.busybox, "sh echo sleep true"), "busybox:spec")
    self:make("run", "first", "true")
  end)
  local up = process.run({ process.bide, "unix", self.socket, "--max-wait", "20s", "-q" })
  if ok and up.code == 0 then return self end
  self:stop()
  return nil, "Podman cannot run containers here: " .. tostring(failure or up.stderr):sub(-200)
end

return M
