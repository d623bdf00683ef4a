---bide step: makes one attempt and ends, for an engine that keeps the time between attempts itself.

local branch = require "bide.cli.waits.branch"
local connection = require "bide.cli.words.connection"
local core = require "bide.core"
local exit_code = require "bide.cli.ending.exit_code"
local input = require "bide.cli.words.input"
local option = require "bide.text.option"
local parser = require "bide.cli.words.parser"
local parts = require "bide.cli.words.parts"
local policy = require "bide.probe.http.policy"
local process = require "bide.cli.ending.process"
local report = require "bide.record.report"
local results = require "bide.cli.report.result"
local shared = require "bide.cli.words.shared_options"
local shown = require "bide.text.shown"
local state_file = require "bide.cli.files.state_file"
local steps = require "bide.record.step"
local untrusted = require "bide.cli.words.untrusted"
local whole_file = require "bide.text.whole_file"

local M = { summary = "make one attempt, for an engine that keeps the time itself" }

---Reads the key of --state-key.
local function read_key(text)
  local key, mistake = input.read_elsewhere(text)
  if key and not key:find "%S" then mistake = ("expected a key, found an empty text in %s"):format(text) end
  if key and not mistake then return key end
  return nil, mistake or option.expected("@env:NAME or @file:PATH", text)
end

function M.new_parser()
  local command = parser.new("step", "Make one attempt of a wait and end: 75 means not yet. An engine sleeps, and makes the "
    .. "next step; a chain of steps, on any machines, decides as one run.",
    "bide step http localhost:8080/health --max-wait 1h --state up --begin")
  shared.add_recipe(command, "The waiter and the inputs, as for bide run.")
  command:begin_section "Steps"
  command:option("--state", "Keep the wait in FILE between the steps, or read it from standard input and print the new one: -.")
    :argname("FILE|-")
  command:flag("--begin", "Begin the wait if FILE does not exist or is empty. With -, an empty standard input begins it.")
  command:option("--state-key", "Sign the state, and refuse one that was not signed with this key.")
    :argname("@env:NAME|@file:PATH"):reads(read_key)
  command:flag("--with-output", "Keep the last output in the state, so that a step without an answer reports it too.")
  parts.add_options(command)
  shared.add_quiet(command)
  shared.add_show_secrets(command, "in the outcome")
  untrusted.add_options(command)
  command:list_codes(exit_code.of_step)
  command:usage("Usage: bide step RECIPE [WAITER] [KEY=VALUE ...] --max-wait DURATION\n"
    .. "                 --state FILE|- [--begin] [options]")
  return command
end

-- ---- the command line -------------------------------------------------------------------------

---The words that have no meaning for a step, and why.
local refused = {
  ["--journal"] = "the state is what a journal is for a run: --state FILE", ["--resume"] = "each step continues the wait",
  ["--each"] = "a step is one attempt of one wait", ["--jobs"] = "a step is one attempt of one wait",
  ["--all"] = "a step is one attempt of one wait", ["--any"] = "a step is one attempt of one wait",
  ["--some"] = "a step is one attempt of one wait", ["+"] = "a step is one attempt of one wait",
  ["--start"] = "a step does not outlive its attempt", ["--start-log"] = "a step does not outlive its attempt",
  ["--while"] = "a step does not outlive its attempt", ["--while-pid"] = "a step does not outlive its attempt",
  ["--events"] = "its standard output has the outcome of each attempt",
  ["--output"] = "its standard output has the outcome as JSON",
}

---Ends the process if there is a word that has no meaning for a step.
local function refuse(arguments)
  for _, word in ipairs(arguments) do
    local name = word:match "^(%-%-[^=]+)" or word
    if word == "--" then break end
    if refused[name] then parser.fail(("%s: bide step refuses it: %s"):format(name, refused[name])) end
  end
  shared.refuse_command(arguments)
end

local function mistake_of(list)
  local options = list[1].options
  if not options.state then return "--state is missing: give --state FILE, or --state - for standard input and output" end
  if options.sandbox and options.state ~= "-" then
    return "--sandbox: no file can be replaced behind its walls: give --state -"
  end
  for _, file in ipairs(input.files(options)) do
    if file == "-" and options.state == "-" then return "--state -: standard input is read for the input already" end
  end
end

-- ---- the state ---------------------------------------------------------------------------------

---Returns the text of the state, nil to begin the wait, and its file; ends the process if there is no state.
---@return string? text
---@return bide.cli.StateFile? file
local function read_state(options)
  if options.state == "-" then
    local text, mistake = whole_file.rest(io.stdin, whole_file.VALUE)
    if not text then parser.fail("--state: standard input: " .. mistake) end
    return text:find "%S" and text or nil
  end
  local file, mistake = state_file.open(options.state)
  if not file then parser.fail("--state: " .. mistake) end
  local text
  text, mistake = file:read()
  if mistake then parser.fail("--state: " .. mistake) end
  if not text and not options.begin then
    parser.fail(("--state: %s does not exist; --begin begins the wait"):format(options.state))
  end
  if options.begin and not (text or ""):find "%S" then text = nil end
  return text, file
end

---Writes the state into its file.
---@param file bide.cli.StateFile
---@param step bide.OpenStep
---@return boolean written
local function keep(file, step)
  local written, mistake = file:write(step:text())
  if not written then shown.complain("the state cannot be written: " .. mistake) end
  return written or false
end

-- ---- the step ----------------------------------------------------------------------------------

---The milliseconds after which to come again while another step is being made.
local BUSY = 1000

---Makes the attempt, unless another step is being made of a wait that has not ended.
---@param step bide.OpenStep
---@param file bide.cli.StateFile?
---@return table record
local function make(step, file)
  if file and not file.is_locked and not step.state.ended then
    shown.warn "another step of this wait is being made"
    return step:report(BUSY)
  end
  local waker = core.task.waker()
  local running = step:start(waker)
  core.loop.watch_signals(function()
    if running then running:cancel() end
  end)
  return core.task.pause(waker)
end

---Prints the outcome as a line of JSON on standard output, and its sentence on standard error. --quiet leaves the sentence
---of a success out, unless that is an old one.
---@param is_old boolean whether an earlier step has ended the wait
---@return boolean written
local function print_outcome(options, step, record, message, is_old)
  shown.name_output "the outcome"
  local line = report.step(record, step.next, options.state == "-" and step:text() or nil)
  local written = shown.print_document(shown.json(line) .. "\n")
  local is_silent = options.quiet and record.state ~= "failure" and not is_old
  if not is_silent and not shown.has_one_output() then shown.note_rest { message } end
  return written
end

---@param options table of the command line
---@param one bide.cli.Branch
---@return integer code
local function run(options, one)
  local text, file = read_state(options)
  local prepared = branch.prepare(one)
  connection.count { prepared }
  local step, mistake = steps.open(prepared, text, { key = options.state_key, withOutput = options.with_output })
  if not step then parser.fail("--state: " .. mistake) end
  local is_owner = file ~= nil and file.is_locked
  if is_owner and step.is_new and not keep(file, step) then return exit_code.USAGE end -- the token is known before it is sent
  local is_old = step.state.ended ~= nil
  local record = make(step, file)
  local is_kept = not is_owner or keep(file, step)
  local result = results.of_one(record, core.loop.signal(), { codes = { one.codes } })
  local is_reported = print_outcome(options, step, record, result.lines(), is_old)
  if options.state == "-" then is_kept = is_reported end
  process.settle()
  local code = exit_code.decide({ state = record.state, code = result.code, is_reported = is_reported and is_kept },
    core.loop.release_signals())
  return code == exit_code.NOT_YET and not is_kept and exit_code.FAILURE or code
end

function M.main(arguments)
  refuse(arguments)
  local list = parts.parse_line(M.new_parser(), arguments, mistake_of)
  local options = list[1].options
  connection.refuse_in_sandbox(options)
  untrusted.apply(options, {
    recipes = { options.recipe, table.unpack(options.with) }, files = input.files(options), words = options.words,
  })
  if options.rate ~= nil then policy.force_rate(options.rate) end
  return run(options, branch.of(branch.load(options), options))
end

return M
