---bide replay: runs a wait over answers from a file, on a virtual clock.

local acceptors = require "bide.cli.words.acceptors"
local answers = require "bide.record.answers"
local branch = require "bide.cli.waits.branch"
local core = require "bide.core"
local exit_code = require "bide.cli.ending.exit_code"
local input = require "bide.cli.words.input"
local output = require "bide.cli.report.output"
local parser = require "bide.cli.words.parser"
local running = require "bide.cli.waits.running"
local shared = require "bide.cli.words.shared_options"
local shown = require "bide.text.shown"
local telemetry = require "bide.cli.report.telemetry"
local untrusted = require "bide.cli.words.untrusted"
local uses = require "bide.cli.files.uses"
local watch = require "bide.wait.watch"

local M = { summary = "run a waiter over recorded answers, on a virtual clock" }

function M.new_parser()
  local command = parser.new("replay", "Run a waiter over recorded answers, without network: an hour takes milliseconds.",
    "bide replay things.lua ThingExists answers.jsonl --max-wait 5m")
  command:argument("recipe", "A Lua or JSON file, or the name of a bundled recipe or of one in BIDE_PATH.")
  command:argument("waiter", "The waiter.")
  command:argument("answers", "JSON Lines: line n answers attempt n, and the last line answers all later ones. A line is "
    .. '{"output": …} or {"error": {"type": …}}, with an optional "duration" in seconds. '
    .. '"retryAfter", in seconds too, and the HTTP "status" are members of the error, or beside the output. '
    .. '"headers", an object, and "text", the body, beside the output are what header() and text() ask of. '
    .. '"wake" is the seconds after the attempt until an event asks for the next one. '
    .. '"unproven", an error, says why a witness did not confirm a success. '
    .. '"unread", beside the output {}, says why an answer was no JSON. A recording of --record has such lines.')
  command:argument("KEY=VALUE", "The inputs: KEY=VALUE, KEY:=JSON, and positional inputs."):args("*"):target "words"
  acceptors.add_decisions(command)
  command:begin_section "Recipe and input"
  command:option("--input", "Set the whole input: JSON, or @FILE; @- is standard input."):argname("JSON")
  exit_code.add_option(command)
  output.add_option(command)
  shared.add_reporting(command)
  untrusted.add_options(command)
  command:usage("Usage: bide replay RECIPE WAITER ANSWERS.jsonl [KEY=VALUE ...]\n"
    .. "                   --max-wait DURATION [options]")
  return command
end

---@param file string
---@return bide.Answer[]
local function read_answers(file)
  local list, mistake, warning = answers.read(file)
  if warning then shown.warn(warning) end
  return list or parser.fail(mistake)
end

function M.main(arguments)
  local options = shared.parse(M.new_parser(), arguments)
  shared.require_max_wait(options)
  local named = {
    recipes = { options.recipe, table.unpack(options.with) }, files = { options.answers, table.unpack(input.files(options)) },
    open = function() output.open(options) end,
  }
  uses.check(options, named)
  untrusted.apply(options, named)
  local list = read_answers(options.answers)
  local one = branch.of(branch.load(options), options, list)
  local mistake = answers.mistake_for(list, one.waiter)
  if mistake then parser.fail(("%s: %s"):format(options.answers, mistake)) end
  if list[1].wait then one.limits.seed = one.limits.seed or list[1].wait.seed end
  watch.disable()
  core.loop.use_virtual_clock()
  telemetry.begin(options)
  local ended = running.run(options, {
    prepared = { branch.prepare(one) }, codes = { one.codes }, is_virtual = true,
    new_progress = function()
      return require("bide.record.report.progress.waits").new { live = false, verbose = options.verbose, heartbeat = false }
    end,
  })
  telemetry.start(options, ended.result)()
  return (exit_code.decide(ended, core.loop.signal()))
end

return M
