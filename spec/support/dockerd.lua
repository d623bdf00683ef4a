---A Docker daemon of the spec's own, with an image that holds busybox: nothing is fetched from a registry, and neither
---networks nor firewalls are touched. It needs root, Debian's packages docker.io and busybox-static, and a system that
---lets containers be made; elsewhere `start` says why there is none.

local Directory = require "spec.support.directory"
local process = require "spec.support.process"
local service = require "spec.support.service"
local uv = require "luv"

---@class spec.Dockerd
---@field socket string
---@field directory spec.Directory
---@field service spec.Service
local Dockerd = {}
Dockerd.__index = Dockerd

local M = {}

local function client(self, ...)
  return process.run({ "/usr/bin/docker", "-H", "unix://" .. self.socket, ... }, { tool = true })
end

---Runs the client, and returns what it wrote.
---@param ... string
---@return string
function Dockerd:docker(...)
  local done = client(self, ...)
  assert(done.code == 0, ("docker %s: %s: %s"):format(..., done.code or done.signal, done.stderr))
  return (done.stdout:gsub("%s+$", ""))
end

---Makes a file in a container that ends when it sees it, perhaps before `touch` does, which is killed then.
---@param name string
---@param path string
function Dockerd:touch(name, path)
  local done = client(self, "exec", name, "touch", path)
  assert(done.code == 0 or done.code == 137, done.stderr)
end

---Starts a container that runs a line of the shell.
---@param name string
---@param line string
---@param ... string further options of `docker run`
---@return string id
function Dockerd:run(name, line, ...)
  local words = { "run", "--detach", "--network", "none", "--name", name, ... }
  for _, word in ipairs { "busybox:spec", "sh", "-c", line } do words[#words + 1] = word end
  return self:docker(table.unpack(words))
end

---Removes all containers.
function Dockerd:clear()
  for id in self:docker("ps", "--all", "--quiet"):gmatch "%S+" do self:docker("rm", "--force", id) end
end

function Dockerd:stop()
  if self.is_up then self:clear() end
  self.service:stop()
  os.execute(("umount %s/exec/netns/* 2>/dev/null"):format(self.directory.path))
  os.execute("rm -rf " .. self.directory.path)
end

---Starts a daemon.
---@return spec.Dockerd?
---@return string? missing
function M.start()
  local daemon, missing = service.find("dockerd", "docker.io")
  if not daemon then return nil, missing end
  local busybox
  busybox, missing = service.find("busybox", "busybox-static", "/bin")
  if not busybox then return nil, missing end
  if uv.getuid() ~= 0 then return nil, "dockerd needs root" end
  local self = setmetatable({ directory = Directory.make() }, Dockerd)
  local place = self.directory.path
  self.socket = place .. "/docker.sock"
  self.service = service.start { daemon, "--iptables=false", "--ip-masq=false", "--bridge=none", "--storage-driver=vfs",
    "--host", "unix://" .. self.socket, "--data-root", place .. "/data", "--exec-root", place .. "/exec",
    "--pidfile", place .. "/pid" }
  local up = process.run({ "sh", "-c", ("i=0; until docker -H unix://%s version >/dev/null 2>&1; do i=$((i+1)); "
    .. "[ $i -lt 150 ] && kill -0 %d || exit 1; sleep 0.2; done"):format(self.socket, self.service.process.pid) },
    { tool = true })
  self.is_up = up.code == 0
  local ok, failure = pcall(function()
    local programs = "sh cat dd echo false head printf touch tr seq sleep true yes"
    self:docker("import", service.pack_busybox(self.directory, busybox, programs), "busybox:spec")
    self:run("first", "true")
  end)
  if self.is_up and ok then return self end
  self:stop()
  return nil, "dockerd cannot run containers here: " .. (tostring(failure) .. self.service.process.stderr):sub(-200)
end

return M
