---Runs a program and turns the loop meanwhile, so that servers within the spec's
---own process answer it.
---
---    process.run({ process.bide, "run", "recipe.lua", "--max-wait", "5s" }):prints(0, "succeeded after 1 attempt")
---
---`says` is about standard error, `prints` about standard output, `writes` about both.

require "bide.core" -- keeps luv, which busted would unload with what a spec has loaded

local uv = require "luv"

local M = {}

---The binary under test.
M.bide = os.getenv "BIDE" or "build/bide"

---Whether it is one file, of `make static`: no loader puts libraries before it or loads C modules of others.
M.is_static = (function()
  local file <close> = io.open(M.bide, "rb")
  return file ~= nil and not (file:read(4096) or ""):find("/ld-", 1, true)
end)()

---Why a spec that preloads a library is pending.
M.NO_PRELOAD = "no library can be preloaded into a program that is one file"

---The folder of the build whose C modules plain Lua loads.
M.build = M.is_static and "build" or M.bide:match "^(.*)/" or "."

---The plain interpreter.
M.lua = os.getenv "LUA" or "lua5.4"

---A spec that hangs is worse than one that fails; on a loaded machine a worker of a spec lives for minutes.
local LONGEST = 300 -- seconds

---@class spec.ProcessOptions
---@field stdin? string
---@field keeps_stdin? boolean the caller writes to the first of `pipes`, and closes it
---@field env? table<string, string> added to the environment, false takes a name out of it
---@field cwd? string
---@field signal? string "sigint" …, sent at one of the two times below
---@field signal_after? number seconds from the start
---@field caught_for? number seconds since the program began to catch an interrupt: on a slow machine that takes a while
---@field tool? boolean the program is not what is tested: it gets no preloaded sanitizer
---@field longest? number seconds until it is killed; 300 otherwise

---@class spec.Process
---@field pid integer
---@field stdout string what came so far
---@field stderr string
---@field code? integer once it has ended
---@field signal? integer the signal that ended it, 0 for none
---@field elapsed? number seconds it took
---@field private overdue? number the seconds after which it was killed
local Process = {}
Process.__index = Process

---Whether the specs run under a sanitizer, where memory and time mean nothing.
M.is_sanitized = (os.getenv "LD_PRELOAD" or ""):find("asan", 1, true) ~= nil

---Returns the kilobytes of memory that a process holds.
---@param pid integer
---@return integer
function M.memory_of(pid)
  local file = assert(io.open(("/proc/%d/status"):format(pid)))
  local text = file:read "a"
  file:close()
  return tonumber(text:match "VmRSS:%s+(%d+)")
end

---Reports whether a command raises the walls of the sandbox: it is told to, or is a worker of a database.
local function raises_walls(command)
  local line = table.concat(command, " ")
  return line:find("--sandbox", 1, true) or line:find " worker .*postgres://" and not line:find("--trusted", 1, true)
end

---The search for leaks traces the process at its end, which the walls of the sandbox forbid.
local function forbid_tracing(command, variables)
  if not M.is_sanitized or not raises_walls(command) then return end
  variables.ASAN_OPTIONS = (variables.ASAN_OPTIONS or "") .. ":detect_leaks=0"
end

local function environment(command, options)
  local variables = uv.os_environ()
  if options.tool then variables.LD_PRELOAD = nil end
  forbid_tracing(command, variables)
  for name, value in pairs(options.env or {}) do variables[name] = value or nil end
  local list = {}
  for name, value in pairs(variables) do
    if value then list[#list + 1] = name .. "=" .. value end
  end
  return list
end

local function close(handle)
  if handle and not handle:is_closing() then handle:close() end
end

local function read_into(process, field, pipe)
  process.open = process.open + 1
  pipe:read_start(function(_, bytes)
    if bytes then
      process[field] = process[field] .. bytes
      return
    end
    process.open = process.open - 1
    close(pipe)
  end)
end

local function on_end(process, code, signal)
  process.code, process.signal = code, signal
  process.elapsed = (uv.hrtime() - process.began) / 1e9
  close(process.handle)
  for _, timer in ipairs(process.timers) do close(timer) end
end

local function send_later(process, seconds, signal, note)
  local timer = uv.new_timer()
  table.insert(process.timers, timer)
  timer:start(math.ceil(seconds * 1000), 0, function()
    if note then note() end
    process:kill(signal)
  end)
end

---Whether a process has a handler of SIGINT.
local function catches_interrupts(pid)
  local file = io.open(("/proc/%d/status"):format(pid))
  local caught = file and file:read "a":match "\nSigCgt:%s*(%x+)"
  if file then file:close() end
  return caught and tonumber(caught:sub(-1), 16) & 1 << uv.constants.SIGINT - 1 ~= 0
end

local function send_once_caught(process, seconds, signal)
  local timer = uv.new_timer()
  table.insert(process.timers, timer)
  timer:start(5, 5, function()
    if not catches_interrupts(process.pid) then return end
    timer:stop()
    send_later(process, seconds, signal)
  end)
end

local function feed(pipe, bytes)
  if bytes and #bytes > 0 then
    pipe:write(bytes, function() close(pipe) end)
  else
    close(pipe)
  end
end

---Starts a program; the caller turns the loop, or calls one of its methods.
---@param command string[] the program and its arguments
---@param options? spec.ProcessOptions
---@return spec.Process
function M.start(command, options)
  options = options or {}
  local pipes = { uv.new_pipe(false), uv.new_pipe(false), uv.new_pipe(false) }
  local process = setmetatable({ stdout = "", stderr = "", open = 0, timers = {} }, Process)
  process.began = uv.hrtime()
  local handle, pid = uv.spawn(command[1], {
    args = table.move(command, 2, #command, 1, {}), stdio = pipes,
    env = environment(command, options), cwd = options.cwd,
  }, function(code, signal) on_end(process, code, signal) end)
  if not handle then
    for _, pipe in ipairs(pipes) do close(pipe) end
    error("cannot run " .. command[1] .. ": " .. pid)
  end
  process.handle, process.pid, process.pipes = handle, pid, pipes
  if not options.keeps_stdin then feed(pipes[1], options.stdin) end
  read_into(process, "stdout", pipes[2])
  read_into(process, "stderr", pipes[3])
  local longest = options.longest or LONGEST
  send_later(process, longest, "sigkill", function() process.overdue = longest end)
  local signal = options.signal or "sigint"
  if options.signal_after then send_later(process, options.signal_after, signal) end
  if options.caught_for then send_once_caught(process, options.caught_for, signal) end
  return process
end

---Whether the loop waits for the program, as it does until it is told otherwise.
---@param waits boolean
function Process:hold_loop(waits)
  self.is_held = waits
  local act = waits and "ref" or "unref"
  for _, handle in ipairs { self.handle, self.pipes[2], self.pipes[3], table.unpack(self.timers) } do
    if not handle:is_closing() then handle[act](handle) end
  end
end

function Process:kill(signal)
  if not self.code then uv.process_kill(self.handle, signal or "sigterm") end
end

---Turns the loop until `is_met()`, or until the program has ended and all it wrote is read.
local function turn_until(process, is_met)
  while not is_met() and (not process.code or process.open > 0) do uv.run("once") end
end

---Waits until the program has written something that fits a Lua pattern, to
---standard output or error; fails where it ends before.
---@param pattern string
function Process:wait_for_output(pattern)
  local function is_met() return self.stdout:find(pattern) or self.stderr:find(pattern) end
  local is_held = self.is_held
  self:hold_loop(true) -- a loop that waits for nothing reads nothing
  turn_until(self, is_met)
  if is_held == false then self:hold_loop(false) end
  if not is_met() then
    error(("the program ended (%s) and did not write %q:\n%s%s"):format(
      self.code, pattern, self.stdout, self.stderr), 2)
  end
end

---Waits until it has ended; fails where it had to be killed since it lasted too long: the code of that would be 0.
---@return spec.Process
function Process:wait()
  self:hold_loop(true)
  turn_until(self, function() return false end)
  uv.run("nowait")
  if self.overdue then error(("the program did not end in %g s:\n%s%s"):format(self.overdue, self.stdout, self.stderr), 2) end
  return self
end

---Fails where a method is called, unless the program has ended with a code, and each text is in what it wrote.
---@param written string
---@param ... string texts, which are no patterns
local function expect(process, written, code, ...)
  local missing = process.code ~= code and ("the exit code %d"):format(code)
  for position = 1, select("#", ...) do
    local text = select(position, ...)
    missing = missing or not written:find(text, 1, true) and ("%q"):format(text)
  end
  if not missing then return end
  local found = ("found the exit code %s and\n%s%s"):format(process.code, process.stdout, process.stderr)
  require("busted").fail(("expected %s, %s"):format(missing, found), 3)
end

---Fails unless it has ended with a code.
---@param code integer
---@return spec.Process
function Process:ends(code)
  expect(self, "", code)
  return self
end

---Fails unless it has ended with a code, and standard error has each of the texts.
---@param code integer
---@param ... string
---@return spec.Process
function Process:says(code, ...)
  expect(self, self.stderr, code, ...)
  return self
end

---Fails unless it has ended with a code, and standard output has each of the texts.
---@param code integer
---@param ... string
---@return spec.Process
function Process:prints(code, ...)
  expect(self, self.stdout, code, ...)
  return self
end

---Fails unless it has ended with a code, and standard output or standard error has each of the texts.
---@param code integer
---@param ... string
---@return spec.Process
function Process:writes(code, ...)
  expect(self, self.stdout .. self.stderr, code, ...)
  return self
end

---Ends it by SIGTERM, after which it must end with 0, as a worker does that gives back what it has.
---@return string stderr
function Process:stop()
  self:kill "sigterm"
  self:wait()
  assert(self.code == 0, self.stderr)
  return self.stderr
end

---Runs a program to its end.
---@param command string[]
---@param options? spec.ProcessOptions
---@return spec.Process
function M.run(command, options)
  return M.start(command, options):wait()
end

return M
