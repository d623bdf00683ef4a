---Finds processes of this machine, by /proc, or by ps(1) if there is no /proc. Zombies are left out.
---
---    local processes = require "bide.processes"
---    processes.find { name = "postgres" }
---    processes.find { pid = 4711 }

local core = require "bide.core"
local shortage = require "bide.tasks.shortage"
local uv = require "luv"

local M = {}

---@class bide.processes.Process
---@field pid integer
---@field name string the kernel's name for it: on Linux the first 15 bytes
---@field state string "R", "S", "D", "T" … of ps(1)
---@field group integer the process group

local function read(file)
  local handle = io.open(file, "rb")
  local text = handle and handle:read("a")
  if handle then handle:close() end
  return text or ""
end

---@return bide.processes.Process? process nil for a zombie
local function new(pid, group, state, name)
  if not name or state == "Z" or state == "X" then return nil end
  return { pid = tonumber(pid), name = name, state = state, group = tonumber(group) }
end

---Reads /proc/PID/stat.
---@return bide.processes.Process? process nil if there is none, or it has ended
local function read_process(pid)
  local name, state, group = read(("/proc/%d/stat"):format(pid)):match("^%d+ %((.*)%) (%a) %d+ (%d+)")
  return new(pid, group, state, name)
end

local function each_of_proc()
  local scan = uv.fs_scandir("/proc")
  return function()
    for name in function() return scan and uv.fs_scandir_next(scan) end do
      local process = name:find("^%d+$") and read_process(tonumber(name))
      if process then return process end
    end
  end
end

---Iterates over the rows of ps. bide waits for that program, some milliseconds.
---@param selection string the options of ps that select processes
local function each_of_ps(selection)
  local list <close> = assert(io.popen("ps " .. selection .. " -o pid= -o pgid= -o stat= -o comm= 2>/dev/null"))
  local rows = list:read("a"):gmatch "[^\n]+"
  return function()
    for row in rows do
      local pid, group, state, command = row:match "^%s*(%d+)%s+(%d+)%s+(%a)%S*%s+(.-)%s*$"
      local process = new(pid, group, state, command and command:match "[^/]*$")
      if process then return process end
    end
  end
end

local function has_proc() return uv.fs_stat("/proc/self/stat") ~= nil end

local function process_of(number)
  local pid = math.tointeger(number)
  if not pid then return nil end
  if has_proc() then return read_process(pid) end
  return each_of_ps("-p " .. pid)()
end

---Iterates over all processes; over none if the system does not list them.
---@return fun(): bide.processes.Process?
function M.each()
  if has_proc() then return each_of_proc() end
  return each_of_ps "-A"
end

---Reports whether a process has a name: the kernel's, or that of the program that was started.
local function is_called(process, name)
  if process.name == name then return true end
  local program = read(("/proc/%d/cmdline"):format(process.pid)):match("^[^%z]*")
  return program:match("[^/]*$") == name
end

local function find(wanted)
  local found = {}
  local function take(process)
    if not process or process.pid == uv.os_getpid() then return end
    if not wanted.name or is_called(process, wanted.name) then found[#found + 1] = process end
  end
  if wanted.pid then
    take(process_of(wanted.pid))
  else
    for process in M.each() do take(process) end
  end
  return found
end

---The descriptors that reading takes at a time.
local DESCRIPTORS = 2

---Returns the processes with a name, with a number, or with both; never the one that asks. Waits for descriptors first,
---since a process whose files cannot be opened would be missing.
---@param wanted { name: string?, pid: integer? }
---@return bide.processes.Process[]
function M.find(wanted)
  return assert(shortage.wait_out(function()
    local lack = core.process.lacks_descriptors(DESCRIPTORS)
    if lack then return nil, lack end
    return find(wanted)
  end))
end

return M
