---Names that one system has and another has not, and where they may stand: the files of the platform, and
---those of one thing of the kernel's, which have a way beside it for other systems.

local names = {
  "memrchr", "mempcpy", "strchrnul", "qsort_r", "asprintf", "getrandom", "accept4", "pipe2", "dup3",
  "prctl", "syscall", "close_range", "SOCK_CLOEXEC", "SOCK_NONBLOCK", "F_OFD_%u+", "NSIG", "SIGEV_THREAD_ID", "eventfd",
  "signalfd", "epoll_%l+", "memfd_%l+", "O_PATH", "O_TMPFILE", "gettid", "pidfd_%l+", "program_invocation_%l+",
  "__linux__", "__GLIBC__",
}

local headers = { "^sys/prctl%.h$", "^sys/syscall%.h$", "^sys/epoll%.h$", "^sys/eventfd%.h$", "^linux/" }

local places = {
  "^src/base/platform", "^src/process/walls", "^src/process/library_signals%.c$", "^src/process/interrupter%.c$",
}

---Files of the kernel, read by Lua, each of which is done without where it is missing.
local readers = {
  ["lua/bide/processes.lua"] = true, ["lua/bide/connections.lua"] = true,
   ["lua/bide/record/journal/moment.lua"] = true, ["lua/bide/sandbox/walls.lua"] = true,
  ["lua/bide/cli/help/machine.lua"] = true, ["lua/bide/text/own_files.lua"] = true,
}

local function stands_at(file)
  for _, place in ipairs(places) do
    if file:find(place) then return true end
  end
  return false
end

local function check_header(line, find)
  local header = line:match "^#%s*include <([^>]+)>"
  for _, pattern in ipairs(header and headers or {}) do
    if header:find(pattern) then find(("%s belongs into src/base/platform_linux.c"):format(header)) end
  end
end

---One line of C, without its comments: these are whole lines, or end theirs.
local function check_c(line, find)
  if line:find "^%s*/?%*" then return end
  local code = line:gsub("/%*.*", "")
  for _, name in ipairs(names) do
    local found = code:match("%f[%w_]" .. name .. "%f[^%w_]")
    if found then find(("%s belongs into src/base/platform_linux.c, with a way for other systems beside it"):format(found)) end
  end
  if code:find('"/proc', 1, true) then find "/proc belongs into src/base/platform_linux.c" end
  check_header(code, find)
end

---@param file string
---@param line string
---@param find fun(text: string) called with what is wrong in the line
return function(file, line, find)
  if file:find "^src/" and not stands_at(file) then check_c(line, find) end
  if file:find "^lua/" and not readers[file] and line:find("[\"']/proc/") then
    find "only bide.processes, bide.connections, the journal's moments and bide doctor read /proc"
  end
end
