---Finds processes of this machine, by /proc, or by ps(1) if there is no /proc. Zombies are left out, but not a process that
---works on in other threads after its first one has ended.
---
---    local processes = require "bide.processes"
---    processes.find { name = "postgres" }
---    processes.find { name = "python3 worker.py" }
---    processes.find { pid = 4711 }
---
---A name is the kernel's, or that of the program that was started, without its folder. With blanks it is the beginning of
---the command line, too. This process is found by its number only. Raises the operation error ProcessesHidden if it finds
---none and this user may not see all, or if neither /proc nor ps lists any.

local core = require "bide.core"
local own_files = require "bide.text.own_files"
local shortage = require "bide.task.shortage"
local uv = require "luv"

local M = {}

---@class bide.processes.Process
---@field pid integer
---@field name string the kernel's name for it: on Linux the first 15 bytes
---@field state string "R", "S", "D", "T" … of ps(1)
---@field group integer the process group

local read = core.task.whole(function(file)
  local handle = io.open(file, "rb")
  local text = handle and handle:read("a")
  if handle then handle:close() end
  return text or ""
end)

local has_ended = { Z = true, X = true }

---@return bide.processes.Process? process nil for a zombie
local function new(pid, group, state, name)
  if not name or has_ended[state] then return nil end
  return { pid = tonumber(pid), name = name, state = state, group = tonumber(group) }
end

---Reads a file stat of /proc.
---@return string? name
---@return string state
---@return string group
local function read_stat(file)
  return read(file):match "^%d+ %((.*)%) (%a) %d+ (%d+)"
end

---Returns the state of a thread that has not ended; nil if all of a process have. The state of a process is that of its
---first thread, which may end before the others.
local function state_of_others(pid)
  local folder = ("/proc/%d/task"):format(pid)
  for _, thread in ipairs(own_files.names(folder)) do
    local name, state = read_stat(("%s/%s/stat"):format(folder, thread))
    if name and not has_ended[state] then return state end
  end
end

---Reads /proc/PID/stat.
---@return bide.processes.Process? process nil if there is none, or it has ended
local function read_process(pid)
  local name, state, group = read_stat(("/proc/%d/stat"):format(pid))
  if state == "Z" then state = state_of_others(pid) or state end
  return new(pid, group, state, name)
end

local function each_of_proc()
  local names, position = own_files.names "/proc", 0
  return function()
    while names[position + 1] do
      position = position + 1
      local process = names[position]:find "^%d+$" and read_process(tonumber(names[position]))
      if process then return process end
    end
  end
end

---Iterates over the rows of ps. bide waits for that program, some milliseconds.
local function each_of_ps()
  local list <close> = assert(io.popen "ps -A -o pid= -o pgid= -o stat= -o comm= 2>/dev/null")
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

---Iterates over all processes; over none if the system does not list them.
---@return fun(): bide.processes.Process?
function M.each()
  if has_proc() then return each_of_proc() end
  return each_of_ps()
end

---Reports whether a command line begins with some words.
local function begins_with(line, words)
  return line == words or line:sub(1, #words + 1) == words .. " "
end

---The bytes of a name that Linux keeps.
local KEPT <const> = 15

---Reports whether the kernel may have cut a name to that of a process, which then is also the name of the file that runs, or
---of a script: after its interpreter and an option at most.
local function is_cut(process, name, line)
  if #process.name ~= KEPT or #name <= KEPT or name:sub(1, KEPT) ~= process.name then return false end
  local file = uv.fs_readlink(("/proc/%d/exe"):format(process.pid)) or ""
  if file:gsub(" %(deleted%)$", ""):match "[^/]*$" == name then return true end
  local second, third = line:match "^[^%z]*%z([^%z]*)%z?([^%z]*)"
  return (second or ""):match "[^/]*$" == name or (third or ""):match "[^/]*$" == name
end

---Reports whether a process has a name: the kernel's, or that of the program that was started. With blanks it may be the
---beginning of the command line.
local function is_called(process, name)
  if process.name == name then return true end
  local line = read(("/proc/%d/cmdline"):format(process.pid)):gsub("%z+$", "")
  local program = line:match "^[^%z]*"
  if program:match "[^/]*$" == name or is_cut(process, name, line) then return true end
  if not name:find " " then return false end
  local folder = program:match "^.*/" or ""
  return begins_with(line:sub(#folder + 1):gsub("%z", " "), name) or begins_with(line:gsub("%z", " "), name)
end

---Reports whether a process has ended, at once. A zombie has ended, if there is /proc to show it; a process that is hidden
---from this user has not.
---@param pid integer
---@return boolean
function M.has_ended(pid)
  local _, _, code = uv.kill(pid, 0)
  if code == "ESRCH" then return true end
  local _, state = read_stat(("/proc/%d/stat"):format(pid))
  return has_ended[state] and not state_of_others(pid) or false
end

---Marks of a process in /proc/PID/stat: it exits; a signal ends it; SIGKILL, by which the kernel ends it whatever the signal
---was, is to be handled.
local EXITING <const>, SIGNALED <const>, KILL_PENDING <const> = 0x4, 0x400, 0x100

---Reports whether the system is ending a process, which takes it a while if that has much memory, or if other programs keep
---the processors: its ports are still open then, and it does nothing any more.
---@param pid integer
---@return boolean
function M.is_ending(pid)
  local fields = {}
  for field in read(("/proc/%d/stat"):format(pid)):gsub("^.*%) ", ""):gmatch "%S+" do fields[#fields + 1] = field end
  local flags, threads, pending = math.tointeger(fields[7]), fields[18], math.tointeger(fields[29])
  if not (flags and pending) then return false end
  return flags & SIGNALED ~= 0 or pending & KILL_PENDING ~= 0 or flags & EXITING ~= 0 and threads == "1"
end

---Returns the processes that are wanted, and whether this one was seen, as it must be where processes are listed.
---@return bide.processes.Process[] found
---@return boolean sees_itself
local function find(wanted)
  local found, own, sees_itself = {}, uv.os_getpid(), false
  local function take(process)
    if not process then return end
    sees_itself = sees_itself or process.pid == own
    if wanted.pid and process.pid ~= wanted.pid or not wanted.pid and process.pid == own then return end
    if not wanted.name or is_called(process, wanted.name) then found[#found + 1] = process end
  end
  if wanted.pid and has_proc() then
    take(math.tointeger(wanted.pid) and read_process(wanted.pid))
    return found, true
  end
  for process in M.each() do take(process) end
  return found, sees_itself
end

---Reports whether a process is there that cannot be read. A signal of number 0 only asks.
local function is_unreadable(pid)
  if not math.tointeger(pid) or read(("/proc/%d/stat"):format(pid)) ~= "" then return false end
  local _, _, code = uv.kill(pid, 0)
  return code == nil or code == "EPERM"
end

---Reports whether /proc may hide processes of other users from this one (the option hidepid of its mount). A user whom it
---hides nothing from sees the first process, whosever it is.
local function may_hide_others()
  if uv.getuid() == 0 or not read("/proc/self/mounts"):find "%f[^\n%z]%S+ /proc proc [^\n]*hidepid=[^0o]" then return false end
  local first = uv.fs_stat "/proc/1/stat"
  return read "/proc/1/stat" == "" or not first or first.uid == uv.getuid()
end

local function raise_hidden(why)
  error({ type = "ProcessesHidden", message = "found no such process, but " .. why }, 0)
end

---Raises ProcessesHidden if a process that was looked for may be there nevertheless. That a number is free, the kernel says
---itself.
local function check_sight(wanted, sees_itself)
  if not sees_itself then
    if wanted.pid and (not math.tointeger(wanted.pid) or M.has_ended(wanted.pid)) then return end
    raise_hidden "this machine lists none: /proc is not mounted, and ps does not work"
  end
  local is_hidden
  if wanted.pid then is_hidden = is_unreadable(wanted.pid) else is_hidden = may_hide_others() end
  if is_hidden and has_proc() then raise_hidden "those of other users are hidden from this one (hidepid of /proc)" end
end

---The descriptors that reading takes at a time.
local DESCRIPTORS = 2

---Returns the processes with a name, with a number, or with both; never the one that asks. Waits for descriptors first,
---since a process whose files cannot be opened would be missing.
---@param wanted { name: string?, pid: integer? }
---@return bide.processes.Process[]
function M.find(wanted)
  local found, sees_itself = shortage.wait_out(function()
    local lack = core.process.lacks_descriptors(DESCRIPTORS)
    if lack then return nil, lack end
    return find(wanted)
  end)
  assert(found, sees_itself)
  if #found == 0 then check_sight(wanted, sees_itself) end
  return found
end

return M
