---Real services for the specs of the recipes that wait for them: each spec starts its own, on a free port, in a
---directory of its own, and ends it. Where the program is not there its specs are pending, and say what is missing.
---
---    local program, missing = service.find("redis-server", "redis-server")
---    if not program then return pending(missing) end
---    local redis = service.start { program, "--port", tostring(port.free()) }
---    redis:stop()

local uv = require "luv"
local process = require "spec.support.process"

local M = {}

---@class spec.Service
---@field process spec.Process
local Service = {}
Service.__index = Service

---The user that programs run as that refuse root.
M.NOBODY = 65534

local NOBODY = M.NOBODY

---Where a program is: in the folders of PATH, in those of the administrator, or where a pattern says.
---@param name string
---@param package string Debian's
---@param folder? string a pattern for the shell, "/usr/lib/postgresql/*/bin"
---@return string? path
---@return string? missing
function M.find(name, package, folder)
  local places = (os.getenv "PATH" or "") .. ":/usr/sbin:/sbin"
  if folder then
    local listing = io.popen("ls -d " .. folder .. " 2>/dev/null | sort -V")
    places = listing:read("a"):gsub("\n", ":") .. places
    listing:close()
  end
  for place in places:gmatch("[^:]+") do
    if uv.fs_access(place .. "/" .. name, "X") then return place .. "/" .. name end
  end
  return nil, ("%s is missing: install the package %s"):format(name, package)
end

---Gives a directory to whom `start` runs programs as.
---@param directory spec.Directory
function M.give(directory)
  if uv.getuid() == 0 then assert(uv.fs_chown(directory.path, NOBODY, NOBODY)) end
end

---A program that refuses root runs as nobody; whatever happens to the spec, it ends with it.
---@param command string[]
---@param is_unprivileged? boolean
---@return string[]
function M.dress(command, is_unprivileged)
  local words = { "setpriv", "--pdeathsig", "TERM" }
  if is_unprivileged and uv.getuid() == 0 then
    for _, word in ipairs { "--reuid=" .. NOBODY, "--regid=" .. NOBODY, "--clear-groups" } do words[#words + 1] = word end
  end
  return table.move(command, 1, #command, #words + 1, words)
end

---Starts a program, which listens sooner or later: that is what bide waits for.
---@param command string[]
---@param options? spec.ProcessOptions | { unprivileged: boolean? }
---@return spec.Service
function M.start(command, options)
  options = options or {}
  options.tool, options.longest = true, 3600
  local started = process.start(M.dress(command, options.unprivileged), options)
  started:hold_loop(false)
  return setmetatable({ process = started }, Service)
end

---Packs a root for containers, with a busybox and the programs that are links to it.
---@param directory spec.Directory
---@param busybox string
---@param programs string their names, with blanks between
---@return string file
function M.pack_busybox(directory, busybox, programs)
  local root = directory.path .. "/root"
  os.execute(("mkdir -p %s/bin && cp %s %s/bin/busybox"):format(root, busybox, root))
  for program in programs:gmatch "%S+" do assert(uv.fs_symlink("busybox", root .. "/bin/" .. program)) end
  os.execute(("tar -C %s -cf %s.tar ."):format(root, root))
  return root .. ".tar"
end

---Ends it, and waits until it has ended.
---@param signal? string sigterm otherwise
function Service:stop(signal)
  self.process:kill(signal or "sigterm")
  self.process:wait()
end

return M
