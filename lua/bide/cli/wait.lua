---The part that `run` and `replay` share: runs one wait, reports it and returns its exit code.

local bide = require "bide"
local core = require "bide.core"
local events = require "bide.report.events"
local exit_code = require "bide.cli.exit_code"
local journaling = require "bide.cli.journaling"
local limits_of = require "bide.wait.limits"
local parser = require "bide.cli.parser"
local process = require "bide.cli.process"
local progress = require "bide.report.progress"
local report = require "bide.report"
local secret = require "bide.secret"
local shown = require "bide.shown"
local waiter_module = require "bide.waiter"

local M = {}

---Loads the recipe and finds the waiter; ends the process if that fails.
---@return bide.Waiter
function M.find_waiter(options, name)
  process.restrain_recipes()
  local loaded, mistake = bide.load(options.recipe, { with = options.with })
  if not loaded then parser.fail_in_lines(mistake) end
  for _, warning in ipairs(loaded.warnings) do shown.warn(warning) end
  local waiter
  waiter, mistake = loaded:find(name)
  if not waiter then parser.fail(mistake) end
  core.watchdog.describe(shown.line(table.concat({ options.recipe, table.unpack(options.with) }, ", ") .. ": " .. waiter.name))
  if waiter.deprecated then shown.warn(("the waiter %s is deprecated"):format(waiter.name)) end
  return waiter
end

---@return bide.Limits
function M.limits(options, waiter)
  local limits, mistake = limits_of.merge(waiter, options)
  if not limits then parser.fail(mistake) end
  return limits
end

local function open_file(file)
  if file == "-" then return io.stdout end
  local handle, mistake = core.process.create_file(file)
  if not handle then parser.fail("--events: " .. mistake) end
  return handle
end

---Opens the file of --events, once; ends the process if it cannot be opened.
---@param options table of the command line; keeps the handle
---@return file*? handle nil without --events
function M.open_events(options)
  if options.events and not options.events_handle then options.events_handle = open_file(options.events) end
  return options.events_handle
end

---Passes each event on to several observers.
local Observers = {}
Observers.__index = Observers
for _, happening in ipairs { "started", "attempted", "ended" } do
  Observers[happening] = function(self, ...)
    for _, observer in ipairs(self) do observer[happening](observer, ...) end
  end
end

---Returns the observers of the waits: the events, and progress unless --quiet is given.
---@param options table of the command line
---@param new_progress fun(is_terminal: boolean): table
---@return table observer
function M.observers(options, new_progress)
  local list = setmetatable({}, Observers)
  local handle = M.open_events(options)
  if handle then
    list.events = events.new(handle)
    list[1] = list.events
  end
  if not options.quiet then
    local is_terminal = require("luv").guess_handle(2) == "tty" and os.getenv("TERM") ~= "dumb"
    list[#list + 1] = new_progress(is_terminal)
  end
  return list
end

---Prints the outcome as JSON or as lines. With `--events -` the last event is the outcome.
---@param options table of the command line
---@param watching table the observers
---@param json fun(): string
---@param lines fun(): ...
---@return boolean written
function M.print(options, watching, json, lines)
  if options.events == "-" then return watching.events.is_written end
  local written, mistake
  if options.output == "json" then
    written, mistake = shown.print_document(json() .. "\n")
  else
    written, mistake = shown.print(lines())
  end
  if not written then shown.complain("the outcome cannot be written: " .. mistake) end
  return written and true or false
end

local function print_outcome(options, watching, record)
  local members = secret.clear(record)
  if record.traceback then
    local traceback = shown.traceback(members.message, members.traceback)
    shown.complain_in_lines(record.fault and traceback or "script error: " .. traceback)
  end
  return M.print(options, watching, function() return report.outcome(record) end, function() return members.message end)
end

---Runs one wait to its end.
---@param options table of the command line
---@param waiter bide.Waiter
---@param input userdata
---@param of_virtual_clock? boolean
---@return integer code
---@return table record
---@return boolean reported whether the outcome is written
---@return bide.cli.Journaling? journaled for the caller that ends the process, if there is a journal
function M.run(options, waiter, input, of_virtual_clock)
  local named, mistake = exit_code.named(options, waiter)
  if mistake then parser.fail(mistake) end
  local waker = core.task.waker()
  local one, mistake_of_input = waiter_module.prepared(waiter, input, M.limits(options, waiter))
  if not one then parser.fail(mistake_of_input) end
  local prepared = { one }
  local watching = M.observers(options, function(is_terminal)
    return progress.new {
      live = is_terminal and not of_virtual_clock, verbose = options.verbose, heartbeat = not of_virtual_clock,
    }
  end)
  local journaled = not of_virtual_clock and journaling.begin(options, waiter, prepared, watching)
  local signal
  local wait = prepared[1]:start(waker, watching)
  core.loop.watch_signals(function(number)
    signal = signal or number
    wait:cancel()
  end)
  local record = core.task.pause(waker)
  if watching.events then watching.events:close() end
  if journaled then journaled:finish(record.reason == "cancelled" or record.fault or false, record.state, { record }) end
  local reported = print_outcome(options, watching, record)
  local code = exit_code.unless_reported(exit_code.of(record, signal, named), reported)
  return code, record, reported, journaled or nil
end

return M
