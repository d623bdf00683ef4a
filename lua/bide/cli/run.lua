---bide run: waits until an acceptor decides.

local acceptors = require "bide.cli.acceptors"
local branch = require "bide.cli.branch"
local core = require "bide.core"
local each = require "bide.cli.each"
local exit_code = require "bide.cli.exit_code"
local input = require "bide.cli.input"
local journaling = require "bide.cli.journaling"
local policy = require "bide.http.policy"
local parser = require "bide.cli.parser"
local process = require "bide.cli.process"
local progress = require "bide.report.progress"
local untrusted = require "bide.cli.untrusted"
local wait = require "bide.cli.wait"

local M = { summary = "wait until an acceptor decides" }

local function new_parser()
  local command = parser.new("run", "Wait: poll an operation until an acceptor moves the waiter to success or failure.",
    'bide run things.lua ThingExists name=foo --max-wait 5m -- echo "it exists"')
  command:argument("recipe", "A Lua or JSON file, or the name of a bundled recipe or of one in BIDE_PATH.")
  command:argument("words", "The waiter, which may be left out if the recipe has a default or only one. KEY=VALUE sets "
    .. "a string member of the input, KEY:=JSON any value."):args("*"):argname("[WAITER] KEY=VALUE")
  parser.add_limits(command)
  acceptors.add_options(command)
  acceptors.add_invert(command)
  command:option("--input", "Set the whole input: JSON, or @FILE."):argname("JSON")
  each.add_options(command)
  command:option("--token", "Use T as the idempotency token of the request, instead of a new one."):argname("T")
  parser.add_rate(command)
  journaling.add_options(command)
  exit_code.add_option(command)
  untrusted.add_options(command)
  parser.add_reporting(command)
  command:usage("Usage: bide run RECIPE [WAITER] [KEY=VALUE ...] --max-wait DURATION [options] [-- COMMAND ...]")
  return command
end

---Splits off COMMAND, the words after the first "--".
local function split_command(arguments)
  for position, word in ipairs(arguments) do
    if word == "--" then
      return table.move(arguments, 1, position - 1, 1, {}),
        table.move(arguments, position + 1, #arguments, 1, {})
    end
  end
  return arguments
end

---Runs COMMAND in place of bide. Returns only if it cannot be run, or if the process outside the sandbox
---runs it once this process has ended.
local function replace_by(command)
  local hand_over = package.loaded["bide.hand_over"]
  if hand_over then
    hand_over()
    return exit_code.SUCCESS
  end
  local mistake = core.process.execute(command)
  require("bide.shown").complain(("%s: %s"):format(command[1], mistake))
  return exit_code.NO_COMMAND
end

---@param one bide.cli.Branch
---@return bide.cli.Waits
local function one_wait(options, one)
  each.refuse_options(options)
  return {
    prepared = { branch.prepare(one) }, codes = one.codes,
    new_progress = function(is_live)
      return progress.new { live = is_live, verbose = options.verbose, heartbeat = true, count = 1 }
    end,
  }
end

---@param arguments string[]
---@return integer code
function M.main(arguments)
  local own, command = split_command(arguments)
  local options = new_parser():parse(own)
  if command and #command == 0 then parser.fail("no command after --") end
  parser.require_max_wait(options)
  untrusted.apply(options, {
    recipes = { options.recipe, table.unpack(options.with) }, files = { options.each, table.unpack(input.files(options)) },
    open = function()
      wait.open_events(options)
      journaling.share(options)
    end,
  })
  if options.rate then policy.force_rate(options.rate) end
  local one = branch.read(options)
  local code, record, reported, journaled = wait.run(options, (options.each and each.waits or one_wait)(options, one))
  process.settle()
  if not reported then return code end
  if journaled then journaled:mark_reported() end
  if record.state == "success" and command then code = replace_by(command) end
  if journaled then process.leave(code) end
  return code
end

return M
