---bide exec: runs a script in which any call may wait.

local script_limits = require "bide.script_limits"
local chunk = require "bide.recipe.chunk"
local core = require "bide.core"
local exit_code = require "bide.cli.exit_code"
local journaling = require "bide.cli.journaling"
local policy = require "bide.http.policy"
local parser = require "bide.cli.parser"
local process = require "bide.cli.process"
local script_error = require "bide.script_error"
local sandbox = require "bide.sandbox"
local evidence = require "bide.outcome.evidence"
local shown = require "bide.shown"
local tasks = require "bide.tasks"
local untrusted = require "bide.cli.untrusted"

require "bide"

local M = { summary = "run a Lua script in which any call may wait" }

local function new_parser()
  local command = parser.new("exec", "Run a Lua script as a task, in which http.*, bide.sleep and waiters may wait.",
    "bide exec deploy.lua staging")
  command:argument("script", "A Lua file.")
  command:argument("arguments", "Arguments of the script, as ... and in arg."):args("*")
  journaling.add_file(command)
  parser.add_rate(command)
  untrusted.add_options(command)
  parser.add_show_secrets(command, "in an uncaught error")
  command:usage("Usage: bide exec [options] SCRIPT.lua [ARGS ...]")
  return command
end

local function load_script(file, arguments)
  local text, mistake = chunk.read(file)
  if not text then parser.fail(mistake) end
  local script
  script, mistake = chunk.compile(file, text, {
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

---Runs the script as its own task, so that a signal can cancel it.
---@return integer code
local function run(main, arguments)
  local waker, signal = core.task.waker(), nil
  local script = tasks.start_script(main, waker, table.unpack(arguments))
  core.loop.watch_signals(function(number)
    signal = number
    script:cancel()
  end)
  core.task.pause(waker)
  if script.how == "cancelled" then return exit_code.SIGNAL + (signal or 2) end
  if script.how == "returned" then return exit_code.SUCCESS end
  complain(script.failure)
  return script_error.is_out_of_memory(script.failure) and exit_code.FAULT or exit_code.SCRIPT_ERROR
end

---Options whose argument is the next word.
local has_argument = {
  ["--memory"] = true, ["--instructions"] = true, ["--load-timeout"] = true, ["--journal"] = true, ["--rate"] = true,
}

---Splits the arguments: words after the script belong to the script, whatever they look like.
local function split(arguments)
  for position, word in ipairs(arguments) do
    if word:sub(1, 1) ~= "-" and not has_argument[arguments[position - 1]] then
      return table.move(arguments, 1, position, 1, {}), table.move(arguments, position + 1, #arguments, 1, {})
    end
  end
  return arguments, {}
end

---@param arguments string[]
---@return integer code
function M.main(arguments)
  local own, rest = split(arguments)
  local options = new_parser():parse(own)
  if options.journal then journaling.share(options) end
  if options.rate then policy.force_rate(options.rate) end
  untrusted.apply(options, { recipes = { options.script } })
  process.share_output_with_script()
  return run(load_script(options.script, rest), rest)
end

return M
