---bide exec: runs a script in which any call may wait.

local script_limits = require "bide.task.script_limits"
local chunk = require "bide.recipe.file.chunk"
local core = require "bide.core"
local exit_code = require "bide.cli.ending.exit_code"
local fleet = require "bide.wait.fleet"
local journaling = require "bide.cli.words.journaling"
local network = require "bide.cli.words.network"
local new_observers = require "bide.cli.report.observers"
local policy = require "bide.probe.http.policy"
local parser = require "bide.cli.words.parser"
local process = require "bide.cli.ending.process"
local outcome = require "bide.wait.outcome"
local progress = require "bide.record.report.progress.waits"
local recording = require "bide.cli.words.recording"
local script_error = require "bide.text.script_error"
local sandbox = require "bide.sandbox.run"
local evidence = require "bide.wait.evidence"
local shared = require "bide.cli.words.shared_options"
local shown = require "bide.text.shown"
local tasks = require "bide.task.script_tasks"
local untrusted = require "bide.cli.words.untrusted"
local waiter = require "bide.wait.waiter"
local waking = require "bide.cli.words.waking"
local whole_file = require "bide.text.whole_file"

require "bide"

local M = { summary = "run a Lua script in which any call may wait" }

function M.new_parser()
  local command = parser.new("exec", "Run a Lua script as a task, in which http.*, bide.sleep and waiters may wait.",
    "bide exec deploy.lua staging")
  command:argument("script", "A Lua file, or - for standard input.")
  command:argument("ARGS", "Arguments of the script, as ... and in arg."):args("*"):target "arguments"
  journaling.add_file(command, "Keep in FILE what bide.once requests, so that the next run does not request it again.")
  recording.add_option(command, "Record the waits of the script in FOLDER, a file each,", "FOLDER")
  shared.add_rate(command)
  waking.add_options(command)
  network.add_options(command)
  untrusted.add_options(command)
  shared.add_quiet(command)
  shared.add_show_secrets(command, "in an uncaught error and in progress")
  command:usage("Usage: bide exec [options] SCRIPT.lua [ARGS ...]")
  return command
end

---Returns the text of the script, and what messages call it.
local function read_script(file)
  local text, mistake
  if file == "-" then text, mistake = whole_file.rest(io.stdin, whole_file.DOCUMENT) else text, mistake = chunk.read(file) end
  if not text then parser.fail(file == "-" and "standard input: " .. mistake or mistake) end
  if not text:find "%S" then parser.fail((file == "-" and "standard input" or file) .. ": expected a script, found nothing") end
  return text, file == "-" and "stdin" or file
end

local function load_script(file, arguments)
  local text, name = read_script(file)
  local script, mistake = chunk.compile(name, text, {
    arg = table.move(arguments, 1, #arguments, 1, { [0] = file }),
    print = sandbox.is_on() and shown.print_of_sandboxed_script or shown.print_of_script,
  })
  if not script then parser.fail(mistake) end
  return script
end

---Describes an uncaught error: an operation error by its type, a script error with its traceback.
---The error may have a metatable, so this runs code of the script.
local function describe(value)
  local text = script_error.text(value)
  if script_error.is_operation_error(value) and not text then
    text = "uncaught operation error " .. evidence.of_error(script_error.plain_operation_error(value))
  end
  if script_error.is(value) then return shown.traceback(value.message, value.traceback) end
  return shown.line(text or tostring(value))
end

local function complain(value)
  local _, text = script_limits.guard(describe, value)
  shown.complain_in_lines(text)
end

---Returns the outcome of a wait, or the result of several, that was not caught: `assert(waiter:wait(…))` raises it, and
---`return waiter:wait(…)` returns it.
---@param failure any
---@return bide.Outcome|bide.FleetResult|nil
local function outcome_of(failure)
  local raised = script_error.is(failure) and failure.raised or failure
  local is_failure = (outcome.is(raised) or fleet.is_result(raised)) and raised.state == "failure"
  return is_failure and raised or nil
end

---Reports an error that was not caught.
---@return integer code
local function report_uncaught(failure)
  local failed = outcome_of(failure)
  complain(failed or failure)
  if script_error.is_out_of_memory(failure) then return exit_code.FAULT end
  if not failed then return exit_code.SCRIPT_ERROR end
  if outcome.is(failed) then return exit_code.of(failed) end
  return exit_code.of_fleet {
    state = failed.state, records = failed.outcomes, interrupted = failed.interrupted, needed = failed.needed,
    first_failed = failed.outcomes[failed.first_failed] and failed.first_failed,
  }
end

---Reports whether a value is what the file of a recipe returns: a script that ends so has waited for nothing.
local function is_recipe(value)
  local _, operation = next(type(value) == "table" and value or {})
  return type(operation) == "table" and rawget(operation, "waitable") ~= nil
end

---Reports whether a value is what a test file returns.
local function are_cases(value)
  return type(value) == "table" and rawget(value, "recipe") ~= nil and rawget(value, 1) ~= nil
end

---Returns the exit code of a script that has returned. With nil or false and a reason, as functions of Lua do, it has failed,
---and so it has with an outcome that is a failure.
---@return integer code
local function code_of_results(ok, why)
  if outcome_of(ok) then return report_uncaught(ok) end
  if is_recipe(ok) then return report_uncaught "the script returned a recipe, and waited for nothing: bide run waits for one" end
  if are_cases(ok) then return report_uncaught "the script returned cases, and ran none of them: bide test runs them" end
  if ok or why == nil then return exit_code.SUCCESS end
  if outcome_of(why) then return report_uncaught(why) end
  local text = type(why) == "string" and ("%q"):format(why) or "a " .. type(why)
  return report_uncaught(("the script returned %s and %s: raise an error instead"):format(ok, text))
end

---The waits that have begun and not ended, each with the task that makes it. The script itself does not end before its own.
local open = { tasks = {} }

function open:started(wait)
  local task = tasks.current()
  if task ~= self.script then self.tasks[wait] = task end
end

function open:ended(wait) self.tasks[wait] = nil end
function open:abandoned(wait) self.tasks[wait] = nil end

---Warns of waits that the end of the script cuts: they have no outcome.
local function warn_of_open_waits()
  local count = 0
  for _, task in pairs(open.tasks) do count = count + (task:is_cancelled() and 0 or 1) end
  if count == 0 then return end
  shown.warn(("the script ended before %d of its waits: join the tasks that make them, or cancel them"):format(count))
end

---Runs the script as its own task, so that a signal can cancel it.
---@return integer code
local function run(main, arguments)
  local waker, signal = core.task.waker(), nil
  local script = tasks.start_script(main, waker, table.unpack(arguments))
  script.at_return, open.script = warn_of_open_waits, script
  core.loop.watch_signals(function(number)
    signal = number
    script:cancel()
  end)
  core.task.pause(waker)
  if script.how == "cancelled" then return exit_code.SIGNAL + (signal or 2) end
  if script.how == "returned" then return code_of_results(table.unpack(script.results, 1, 2)) end
  return report_uncaught(script.failure)
end

---Records the waits that the script begins, and shows their progress.
---@return bide.Recordings?
local function observe_waits(options)
  local list, recordings = new_observers(), recording.open(options)
  list:add(open)
  if recordings then list:add(recordings) end
  if not options.quiet then
    list:add(progress.new {
      live = shown.is_live(), heartbeat = true,
      label = function(wait, key) return type(key) == "string" and key or wait.waiter.name end,
    })
  end
  waiter.observer = list:as_one()
  return recordings
end

---Splits the arguments: words after the script belong to the script, whatever they look like.
local function split(command, arguments)
  for position, word in ipairs(arguments) do
    local before = command.options[arguments[position - 1]]
    if (word == "-" or word:sub(1, 1) ~= "-") and not (before and before.takes_argument) then
      return table.move(arguments, 1, position, 1, {}), table.move(arguments, position + 1, #arguments, 1, {})
    end
  end
  return arguments, {}
end

function M.main(arguments)
  local command = M.new_parser()
  local own, rest = split(command, arguments)
  local options = command:parse(own)
  recording.check(options)
  waking.apply(options)
  if options.journal then journaling.share(options) end
  if options.rate ~= nil then policy.force_rate(options.rate) end
  network.apply(options, false)
  untrusted.apply(options, { recipes = { options.script } })
  local recordings
  process.share_output_with_script(function() return not (recordings and recordings.is_broken) end)
  recordings = observe_waits(options)
  return run(load_script(options.script, rest), rest)
end

return M
