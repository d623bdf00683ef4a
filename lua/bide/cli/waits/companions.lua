---The options for companions, which have to last as long as bide waits: a process (`--while-pid N`), a program that it starts
---(`--start LINE`), and the success of another wait (`--while RECIPE …`).

local branches = require "bide.cli.waits.branch"
local core = require "bide.core"
local file_failure = require "bide.text.file_failure"
local keepers = require "bide.wait.keeper"
local option = require "bide.text.option"
local parser = require "bide.cli.words.parser"
local process = require "bide.cli.ending.process"
local shared = require "bide.cli.words.shared_options"
local shown = require "bide.text.shown"
local tables = require "bide.text.tables"

local M = {}

local kind = { "a process id, 1 to 2147483647", function(value) return option.kinds.count[2](value) and value > 0 end }

local function read_pid(text)
  local pid = math.tointeger(tonumber(text))
  local mistake = option.mistake(pid or text, kind)
  return not mistake and pid or nil, mistake
end

---@param command table
function M.add_options(command)
  command:begin_section "While bide waits"
  command:option("--start", "Start a program, a line of the shell, before the first attempt; fail at once when it ends. "
    .. "Needs a COMMAND, after which the program is ended: its process group gets TERM, and KILL 10 s later."):argname("LINE")
  command:option("--start-log", "Write the output of that program to FILE, in place of standard error."):argname("FILE")
  command:option("--while", "Fail at once when another wait fails, or has not succeeded for 10 s: RECIPE, WAITER and inputs, "
    .. "up to the next option. It has to succeed once before the first attempt, within --max-wait."):argname("RECIPE ...")
  command:option("--while-pid", "Fail at once when the process N ends, of whichever user.")
    :argname("N"):reads(read_pid)
end

---@class bide.cli.Companions
---@field watch bide.exec.Watch? of --while-pid
---@field line string? of --start
---@field log file*? of --start-log
---@field program bide.exec.Started? once it is started
---@field is_quiet boolean?
---@field is_verbose boolean?
---@field name string? of the wait of --while, as it was given
---@field first bide.PreparedWait? that wait, with the time until its first success
---@field again bide.PreparedWait? that wait, with the time until any later one
---@field keeper bide.Keeper? once that is begun
---@field waker bide.Waker fired when the waits may begin, or need not
---@field fail fun(cause: string): boolean
---@field is_waiting boolean? whether the waits have begun and not ended
---@field cause string? what has ended first
---@field doubts table<integer, string>? by the position of a wait, why what answers it may not be the program
---@field is_ending boolean?
local Companions = {}
Companions.__index = Companions

---Opens the process of --while-pid; ends the process if it cannot be watched.
local function open_watch(options)
  local watch = require("bide.probe.exec.watch").open(options.while_pid)
  if options.sandbox and not watch.descriptor and not watch.is_gone then
    parser.fail(("--while-pid %d: the system gives no descriptor of this process, and without one --sandbox cannot watch it")
      :format(watch.pid))
  end
  return watch
end

local function mistake_of(options)
  if options.start_log and not options.start then return "--start-log is for the program of --start, which is missing" end
  if not options.start then return nil end
  if options.sandbox then return "--start runs a program, which --sandbox does not allow" end
  if options.start:find("\0", 1, true) then return "--start: expected a line of the shell, found a NUL byte in it" end
  if not options.command then return "--start needs a COMMAND after --; once it has ended, the program is ended" end
end

local function open_log(file)
  local handle, mistake = file_failure.create(file)
  if not handle then parser.fail("--start-log: " .. mistake) end
  handle:setvbuf "no"
  return handle
end

---Opens the companions, before the walls of the sandbox are raised; ends the process if there is a mistake in the options.
---@param options table of the command line
---@return bide.cli.Companions
function M.open(options)
  local mistake = mistake_of(options)
  if mistake then parser.fail(mistake) end
  return setmetatable({
    watch = options.while_pid and open_watch(options), line = options.start,
    log = options.start_log and open_log(options.start_log),
    is_quiet = options.quiet, is_verbose = options.verbose,
  }, Companions)
end

---Returns the function that takes the output of the program.
local function writer(companions)
  local log = companions.log
  if not log then return shown.pass end
  return function(bytes)
    local taken, mistake = core.process.write(log, bytes, 0)
    if not taken and not companions.is_log_broken then
      companions.is_log_broken = true
      shown.warn("--start-log cannot be written: " .. mistake)
    end
    return taken
  end
end

---Fails the waits, unless they have ended.
---@return boolean fails
local function handle_end(companions, cause)
  if companions.cause then return true end
  companions.cause = cause
  if companions.is_waiting then return companions.fail(cause) end
  companions.waker()
  return true
end

---@param program bide.exec.Started
local function words_of_program(program)
  return "the program of --start " .. program:words()
end

---Starts the program; ends the process if the system cannot.
local function start_program(companions)
  local program, mistake = require("bide.probe.exec.started").start(companions.line, writer(companions), function(ended)
    if companions.is_ending then return end
    local words = words_of_program(ended)
    if companions.has_waited and not companions.cause or not handle_end(companions, words) then shown.warn(words) end
  end)
  companions.program = program or parser.fail("--start: cannot run /bin/sh: " .. mistake)
end

---Gives the wait of --while, ready to begin; ends the process if the waiter refuses the input.
---@param branch bide.cli.Branch
---@param name string as it was given
function Companions:keep(branch, name)
  self.name = name
  local limits = tables.merged(branch.limits)
  limits.max_wait = keepers.PATIENCE - keepers.pause_of(branch.waiter)
  limits.name_option = function(option_name, value)
    return option_name == "maxWait" and "the 10 s of --while" or shared.option_of(option_name, value)
  end
  self.first = branches.prepare(branch)
  self.again = branches.prepare { waiter = branch.waiter, input = branch.input, limits = limits }
end

---Returns the options of the companions, as a text; nil if there are none.
---@return string?
function Companions:describe()
  if not (self.watch or self.line or self.name) then return nil end
  return ("--while-pid %s\n--start %s\n--while %s"):format(self.watch and self.watch.pid, self.line, self.name)
end

---Returns what shows the progress of the wait of --while until its first success.
local function progress_of(companions)
  local name = "--while " .. companions.name
  return require("bide.record.report.progress.waits").new {
    live = false, verbose = companions.is_verbose, heartbeat = true, label = function() return name end,
  }
end

---Begins the wait of --while.
local function start_keeper(companions)
  companions.keeper = keepers.start(companions.first, companions.again, companions.waker, function(record)
    handle_end(companions, ("--while %s: %s"):format(companions.name, record.message))
  end, not companions.is_quiet and progress_of(companions) or nil)
end

---Warns of waits that a server of an earlier run may answer, since it listens before the program begins.
---@param prepared bide.PreparedWait[]
local function warn_of_open_ports(companions, prepared)
  local open_ports, known = require "bide.cli.waits.open_ports", {}
  companions.doubts = {}
  for position, one in ipairs(prepared) do
    for _, name in ipairs(open_ports.of(one)) do
      local text = ("%s was open before the program of --start began: a server of an earlier run may answer"):format(name)
      if not known[text] then shown.warn(text) end
      known[text], companions.doubts[position] = true, text
    end
  end
end

---Starts the program, watches all that has to last, and waits until the wait of --while has succeeded once, or something
---has ended.
---@param prepared bide.PreparedWait[] the waits, which begin when this returns
---@param fail fun(cause: string): boolean called when one has ended during the waits; reports whether they fail by it
---@return integer spent milliseconds
function Companions:start(prepared, fail)
  local watch, began = self.watch, core.loop.update()
  self.fail, self.waker = fail, core.task.waker()
  if self.line then
    warn_of_open_ports(self, prepared)
    start_program(self)
  end
  if watch then
    watch:start(function() handle_end(self, watch:words()) end)
  end
  if self.first then
    start_keeper(self)
    core.task.pause(self.waker)
  end
  self.is_waiting = true
  return self.first and core.loop.update() - began or 0
end

---Returns what has ended, though the loop may not have noticed it yet: a wait that is about to end has failed then.
---@return string? cause
function Companions:find_cause()
  if self.cause then return self.cause end
  if self.program and self.program:is_over() then
    self.cause = words_of_program(self.program)
  elseif self.watch and self.watch:is_over() then
    self.cause = self.watch:words()
  elseif self.keeper and self.keeper:is_stale() then
    self.cause = ("--while %s: it has not succeeded for %d s"):format(self.name, keepers.PATIENCE // 1000)
  end
  return self.cause
end

---Lets the waits begin, to be cancelled, since a signal came.
function Companions:interrupt()
  self.waker()
end

---Ends the watching, when the waits have ended, and adds to their outcomes what was warned of.
---@param records table<integer, table>
function Companions:stop(records)
  for position, text in pairs(self.doubts or {}) do
    local record = records[position]
    if record then record.warnings = core.json.array { text, table.unpack(record.warnings or {}) } end
  end
  self.is_waiting, self.has_waited = false, true
  if self.watch then self.watch:close() end
  if self.keeper then self.keeper:stop() end
end

---Ends the program, and waits until all of its group has ended. Signals take its time away.
function Companions:finish()
  self.is_ending = true
  if not self.program then return process.settle() end
  core.loop.watch_signals(function() require("bide.probe.exec.group").hurry() end)
  self.program:finish()
  process.settle()
  self.program:close()
end

return M
