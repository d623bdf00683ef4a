---bide run: waits until an acceptor decides.

local branch = require "bide.cli.waits.branch"
local chunk = require "bide.recipe.file.chunk"
local command_runner = require "bide.cli.ending.command"
local companions = require "bide.cli.waits.companions"
local connection = require "bide.cli.words.connection"
local core = require "bide.core"
local exit_code = require "bide.cli.ending.exit_code"
local groups = require "bide.cli.waits.group"
local handing = require "bide.cli.words.handing"
local input = require "bide.cli.words.input"
local journaling = require "bide.cli.words.journaling"
local named_secret = require "bide.recipe.input.named_secret"
local network = require "bide.cli.words.network"
local output = require "bide.cli.report.output"
local parser = require "bide.cli.words.parser"
local parts = require "bide.cli.words.parts"
local policy = require "bide.probe.http.policy"
local process = require "bide.cli.ending.process"
local recording = require "bide.cli.words.recording"
local running = require "bide.cli.waits.running"
local shared = require "bide.cli.words.shared_options"
local shown = require "bide.text.shown"
local store_options = require "bide.cli.store.options"
local tables = require "bide.text.tables"
local telemetry = require "bide.cli.report.telemetry"
local untrusted = require "bide.cli.words.untrusted"
local uses = require "bide.cli.files.uses"
local waking = require "bide.cli.words.waking"

local M = { summary = "wait until a resource is in the state you want, or never will be" }

function M.new_parser()
  local command = parser.new("run", "Wait: ask again and again until an answer means success or failure, or until "
    .. "the max wait is over. A recipe says how to ask; its waiter says by acceptors, in their order, which answers mean what.",
    'bide run things.lua ThingExists name=foo --max-wait 5m -- echo "it exists"')
  command:argument("recipe", "A Lua or JSON file, or the name of a bundled recipe or of one in BIDE_PATH. A file may also "
    .. "hold a list of waits, which may be YAML, too."):args("?")
  command:argument("WAITER, KEY=VALUE", "The waiter, which may be left out if the recipe has a default or only one; and "
    .. "the inputs. KEY=VALUE is read by the input's type, KEY:=JSON is any value, KEY=@env:NAME and KEY=@file:PATH take "
    .. "it from elsewhere. Positional inputs need no KEY. bide RECIPE --help lists the inputs."):args("*"):target "words"
  parts.add_options(command)
  shared.add_each(command)
  groups.add_options(command)
  companions.add_options(command)
  handing.add_option(command)
  waking.add_options(command)
  journaling.add_options(command)
  store_options.add_run(command)
  recording.add_option(command, "Record the wait in the file PATH, or several waits in a folder, a file each,", "PATH")
  output.add_option(command)
  telemetry.add_option(command)
  shared.add_reporting(command)
  network.add_options(command)
  untrusted.add_options(command)
  command:list_codes()
  command:usage("Usage: bide run RECIPE [WAITER] [KEY=VALUE ...] --max-wait DURATION [options]\n"
    .. "                [+ RECIPE ...] [-- COMMAND ...]")
  return command
end

---Complains of a signal that came between a success and COMMAND, or the end.
---@param ended bide.cli.Ended
---@param signal integer?
---@param command string[]?
local function complain_of_signal(ended, signal, command)
  if not signal or ended.state ~= "success" then return end
  shown.complain(("ended by signal %d after the success%s"):format(signal, command and ", before COMMAND" or ""))
end

---Records in the journal that the outcome was reported.
---@param ended bide.cli.Ended
local function mark_reported(ended)
  if ended.is_reported and ended.journaled and not core.loop.signal() then ended.journaled:mark_reported() end
end

---Ends the run, after its outcome was reported, and runs COMMAND after a success. Returns only if there is none, or if it
---cannot be run. Until the signals are released, one that came ends bide; from then on it ends what this process is.
---@param ended bide.cli.Ended
---@param command string[]?
---@return integer code
local function conclude(ended, command)
  process.settle()
  mark_reported(ended)
  local signal = core.loop.release_signals()
  local code, runs_command = exit_code.decide(ended, signal)
  if runs_command and command then return command_runner.replace_bide(command) end
  complain_of_signal(ended, signal, command)
  return code
end

---Ends the run with COMMAND as a child, beside which telemetry is written, and after which the program of --start
---is ended.
---@param ended bide.cli.Ended
---@param options table of the command line
---@return integer code
local function conclude_beside_program(ended, options)
  mark_reported(ended)
  local finish
  local function begin_telemetry() finish = telemetry.start(options, ended.result) end
  local _, runs_command = exit_code.decide(ended, core.loop.signal())
  local code = runs_command and command_runner.run(options.command, begin_telemetry)
  if not code then
    local signal = core.loop.signal()
    code = exit_code.decide(ended, signal)
    complain_of_signal(ended, signal, options.command)
  end
  if not finish then begin_telemetry() end
  finish()
  options.companions:finish()
  return code
end

---Ends the run in the way that its options need.
---@param ended bide.cli.Ended
---@param options table of the command line
---@return integer code
local function finish(ended, options)
  if options.start or options.command and telemetry.is_wanted(options) then return conclude_beside_program(ended, options) end
  telemetry.start(options, ended.result)()
  return conclude(ended, options.command)
end

-- ---- what it waits for ------------------------------------------------------------------------

---Returns the mistake of a part without a recipe.
---@param position integer of the part
---@param count integer of all parts
---@return string mistake
local function missing_recipe(position, count)
  if count == 1 then return "expected a RECIPE, found none: bide list shows them" end
  return "expected RECIPE … + RECIPE …, found no RECIPE " .. (position == 1 and "before the first +"
    or position == count and "after the last +" or "between two +")
end

---@param list bide.cli.ParsedPart[]
---@return string? mistake
function M.mistake_of_parts(list)
  local options = list[1].options
  if options.silent and options.verbose then return "--silent and --verbose exclude each other" end
  if options.each and #list > 1 then
    return "--each and + exclude each other: --each FILE without RECIPE runs a list of any waits"
  end
  for position, part in ipairs(list) do
    if part.options.recipe == "" then return "expected a RECIPE, found an empty text" end
    if not part.options.recipe and not options.each then return missing_recipe(position, #list) end
  end
  if options.each and options.token then return "--token is for one request, and --each makes several" end
  if options.each and options.recipe and #(options.env or {}) > 0 then
    return "--env is for one wait, and --each makes several"
  end
  if options.each and #options.exit_code > 0 then return "--exit-code is for one wait, and --each makes several" end
end

---@param list bide.cli.ParsedPart[]
---@return string? mistake
local function mistake_of(list)
  return M.mistake_of_parts(list) or store_options.mistake_of(list)
end

---@param one bide.cli.Branch
---@return bide.cli.Waits
local function one_wait(options, one)
  groups.refuse_options(options)
  return {
    prepared = { branch.prepare(one) }, codes = { one.codes }, handed = { one.handed },
    branches = { one }, inputs = { one.input },
    new_progress = function(is_live)
      local progress = require "bide.record.report.progress.waits"
      return progress.new { live = is_live, verbose = options.verbose, heartbeat = true, count = 1 }
    end,
  }
end

---Adds the wait of a part, or the waits of its list.
---@param group bide.cli.Group
---@param part bide.cli.ParsedPart
local function read_part(group, command_line, part)
  local loaded, list = branch.load(part.options, true, true)
  if list then return require("bide.cli.waits.entries").read_list(command_line, part, list, group) end
  local one = branch.of(loaded, part.options)
  group:add_branch(one, one.input, part.options.recipe)
end

---Ends the process if a list of waits is given with --each.
local function refuse_list_of_lines(options, list)
  if list and options.each then parser.fail(("%s is a list of waits, which takes no --each"):format(options.recipe)) end
end

---Returns the wait of a recipe, or those of the lines of --each; nil and the list if the file is a list of waits.
---@param group bide.cli.Group gets the waits of lines
---@return bide.cli.Waits?
---@return bide.WaitList?
local function waits_of_recipe(group, options)
  local loaded, list = branch.load(options, true, true)
  refuse_list_of_lines(options, list)
  if list then return nil, list end
  local one = branch.of(loaded, options)
  if not options.each then return one_wait(options, one) end
  require("bide.cli.waits.each").read(options.each, one, group)
  return group:waits(options)
end

---Reads the waits of a command line; ends the process if there is a mistake in it.
---@param list bide.cli.ParsedPart[]
---@return bide.cli.Waits
function M.waits_of(command_line, list)
  local options, group = list[1].options, groups.new(list[1].options)
  if not options.recipe then
    require("bide.cli.waits.entries").read_lines(command_line, list[1], options.each, group)
  elseif #list > 1 then
    for _, part in ipairs(list) do read_part(group, command_line, part) end
  else
    local waits, list_of_waits = waits_of_recipe(group, options)
    if waits then return waits end
    require("bide.cli.waits.entries").read_list(command_line, list[1], list_of_waits, group)
  end
  return group:waits(options)
end

---Reads the waits of a command line, the lines of --each one after another; ends the process if there is a mistake in it.
---@param list bide.cli.ParsedPart[]
---@return bide.cli.Stream
function M.stream_of(command_line, list)
  local options = list[1].options
  if not options.each or not options.recipe then return groups.stream_of(M.waits_of(command_line, list)) end
  local loaded, entries_of_file = branch.load(options, true, true)
  refuse_list_of_lines(options, entries_of_file)
  return groups.stream_of_lines(options, branch.of(loaded, options))
end

---Reads the wait of --while; ends the process if there is a mistake in it.
---@param list bide.cli.Companions
---@param part bide.cli.ParsedPart?
local function read_companion(list, part)
  if not part then return end
  parser.set_place(parts.COMPANION)
  list:keep(branch.of(branch.load(part.options), part.options), table.concat(part.words, " "))
  parser.set_place(nil)
end

---The files that the command line names.
---@param list bide.cli.ParsedPart[]
---@return bide.cli.Untrusted
local function named_files(list)
  local options = list[1].options
  local given = { recipes = {}, files = { options.each ~= "-" and options.each or nil }, words = {},
    reads_standard_input = options.each == "-" }
  for _, part in ipairs(tables.joined(list, { list[1].companion })) do
    table.insert(given.recipes, part.options.recipe or options.each)
    tables.append(given.recipes, part.options.with)
    tables.append(given.files, input.files(part.options))
    tables.append(given.words, part.words)
    connection.refuse_in_sandbox(part.options)
  end
  function given.open()
    output.open(options)
    journaling.share(options)
  end
  return given
end

---Reports whether a word asks for help, unless it is the argument of an option.
---@param arguments string[]
local function may_ask_for_help(arguments)
  for _, word in ipairs(arguments) do
    if word == "--help" or word == "-h" then return true end
  end
  return false
end

---@param command_line table? the parser, if the caller has made it
function M.main(arguments, command_line)
  local own, command = command_runner.split(arguments)
  command_line = command_line or M.new_parser()
  local page = may_ask_for_help(own) and require("bide.cli.commands.help").answer(command_line, own)
  if page then return page end
  local list = parts.parse_line(command_line, own, mistake_of, command)
  local options = list[1].options
  if command and not (command[1] or ""):find "%S" then parser.fail("no command after --") end
  options.command = command
  local named = named_files(list)
  uses.check(options, named)
  recording.check(options)
  waking.apply(options)
  telemetry.begin(options)
  options.companions = companions.open(options)
  network.apply(options, false)
  untrusted.apply(options, named)
  if options.rate ~= nil then policy.force_rate(options.rate) end
  if #options.store > 0 then named_secret.allow() end
  local waits = M.waits_of(command_line, list)
  handing.check(options, waits.handed)
  if #options.store > 0 then return finish(require("bide.cli.store.run").run(options, waits), options) end
  read_companion(options.companions, list[1].companion)
  if waits.needed then require("bide.cli.waits.fleet_rate").apply(waits.prepared, options.rate ~= nil) end
  local ended = running.run(options, waits)
  ended.lacks_value = not handing.hand(waits, ended.records)
  local code = finish(ended, options)
  local is_over = ended.journaled or not chunk.has_code()
  if options.start or ended.is_reported and is_over then
    process.leave(code) -- freeing all objects would be a tenth of a short wait
  end
  return code
end

return M
