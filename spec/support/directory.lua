---A directory for a spec's files.

local uv = require "luv"

local Directory = {}
Directory.__index = Directory

---@return spec.Directory
function Directory.make()
  return setmetatable({ path = assert(uv.fs_mkdtemp("/tmp/bide-spec-XXXXXX")) }, Directory)
end

local function made_by(begin, finish, class, files)
  local directory = setmetatable({}, class)
  begin(function()
    for member, value in pairs(class.make()) do directory[member] = value end
    for name, text in pairs(files or {}) do directory:write(name, text) end
  end)
  finish(function() directory:remove() end)
  return directory
end

---Returns one for a block of specs, which is a new folder in each.
---@param class? table
---@param files? table<string, string> texts by the names of the files that it begins with
---@return spec.Directory
function Directory.of_each(class, files)
  local busted = require "busted"
  return made_by(busted.before_each, busted.after_each, class or Directory, files)
end

---Returns one for a block of specs, which is the same folder in all.
---@param class? table
---@param files? table<string, string>
---@return spec.Directory
function Directory.of_block(class, files)
  local busted = require "busted"
  return made_by(busted.setup, busted.teardown, class or Directory, files)
end

---Reports whether the folder may hold a gigabyte, and programs that run.
local function is_fit(folder)
  local room, probe = uv.fs_statfs(folder), folder .. "/program"
  local file = uv.fs_open(probe, "w", 448)
  if not file then return false end
  uv.fs_close(file)
  local is_run = uv.fs_access(probe, "X")
  uv.fs_unlink(probe)
  return is_run and room.bavail * room.bsize > 1 << 30
end

---Makes one for thousands of files, in memory where this machine has room: to make and remove them takes a disk a second.
---@return spec.Directory
function Directory.make_in_memory()
  local path = uv.fs_mkdtemp "/dev/shm/bide-spec-XXXXXX"
  if path and is_fit(path) then return setmetatable({ path = path }, Directory) end
  if path then uv.fs_rmdir(path) end
  return Directory.make()
end

---Writes a file and returns its path.
---@param name string
---@param text string
---@return string
function Directory:write(name, text)
  local path = self.path .. "/" .. name
  local file = assert(io.open(path, "wb"))
  assert(file:write(text))
  assert(file:close())
  return path
end

---@param name string
---@return string
function Directory:read(name)
  local file = assert(io.open(self.path .. "/" .. name, "rb"))
  local text = file:read("a")
  file:close()
  return text
end

local function remove(path)
  local scan = uv.fs_scandir(path)
  while scan do
    local name, kind = uv.fs_scandir_next(scan)
    if not name then break end
    if kind == "directory" then remove(path .. "/" .. name) else uv.fs_unlink(path .. "/" .. name) end
  end
  uv.fs_rmdir(path)
end

function Directory:remove()
  remove(self.path)
end

return Directory
