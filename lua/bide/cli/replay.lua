---bide replay: runs a wait over answers from a file, on a virtual clock.

local acceptors = require "bide.cli.acceptors"
local bide = require "bide"
local branch = require "bide.cli.branch"
local core = require "bide.core"
local exit_code = require "bide.cli.exit_code"
local input = require "bide.cli.input"
local operation = require "bide.probe.operation"
local output = require "bide.cli.output"
local parser = require "bide.cli.parser"
local option = require "bide.text.option"
local schema = require "bide.recipe.schema"
local retries = require "bide.task.retries"
local untrusted = require "bide.cli.untrusted"
local wait = require "bide.cli.wait"

local M = { summary = "run a waiter over recorded answers, on a virtual clock" }

---@return table parser
function M.new_parser()
  local command = parser.new("replay", "Run a waiter over recorded answers, without network: an hour takes milliseconds.",
    "bide replay things.lua ThingExists answers.jsonl --max-wait 5m")
  command:argument("recipe", "A Lua or JSON file, or the name of a bundled recipe or of one in BIDE_PATH.")
  command:argument("waiter", "The waiter.")
  command:argument("answers", "JSON Lines: line n answers attempt n, and the last line answers all later ones. A line is "
    .. '{"output": …} or {"error": {"type": …}}, with an optional "duration" in seconds. '
    .. '"retryAfter", in seconds too, and the HTTP "status" are members of the error, or beside the output. '
    .. '"headers", an object, and "text", the body, beside the output are what header() and text() ask of. '
    .. '"unread", beside the output {}, says why an answer was no JSON.')
  command:argument("KEY=VALUE", "The inputs: KEY=VALUE, KEY:=JSON, and positional inputs."):args("*"):target "words"
  parser.add_limits(command)
  acceptors.add_options(command)
  acceptors.add_invert(command)
  command:begin_section "Recipe and input"
  command:option("--input", "Set the whole input: JSON, or @FILE; @- is standard input."):argname("JSON")
  exit_code.add_option(command)
  output.add_option(command)
  parser.add_reporting(command)
  untrusted.add_options(command)
  command:usage("Usage: bide replay RECIPE WAITER ANSWERS.jsonl [KEY=VALUE ...]\n"
    .. "                   --max-wait DURATION [options]")
  return command
end

local check_seconds = schema.of(option.kinds.delay)

local check_error = schema.structure({
  type = { check = schema.string, required = "a string" },
  message = { check = schema.string },
  status = { check = schema.of(option.kinds.number) },
  retryAfter = { check = check_seconds },
}, "an error, with type", "warning")

---Checks the headers of an answer: an object of texts or of lists of texts.
local function check_headers(report, path, value)
  local is_right = type(value) == "table" and not core.json.is_array(value)
  for _, values in pairs(is_right and value or {}) do
    for _, one in ipairs(type(values) == "table" and values or { values }) do
      is_right = is_right and type(one) == "string" and not one:find "[\r\n]"
    end
  end
  if not is_right then schema.expected(report, path, "an object of texts, or of lists of texts, of one line", value) end
end

local check_answer = schema.structure({
  output = { check = function() end },
  error = { check = check_error },
  duration = { check = check_seconds },
  retryAfter = { check = check_seconds },
  status = { check = schema.of(option.kinds.status) },
  unread = { check = schema.string },
  headers = { check = check_headers },
  text = { check = schema.string },
}, "an object with output or error")

---Returns the mistake in one line; nil if it is valid.
local function mistake_of(answer)
  local report = schema.report()
  check_answer(report, "", answer)
  local problem = report.problems[1]
  if problem and problem.severity == "error" then return (problem.path .. ": " .. problem.text):gsub("^: ", "") end
  if (answer.output == nil) == (answer.error == nil) then return "expected exactly one of output and error" end
  if answer.error and answer.unread then return "unread: expected an output beside it, found an error" end
  for _, name in ipairs { "retryAfter", "status", "headers", "text" } do
    if answer.error and answer[name] then return name .. ": expected it in the error, found it beside" end
  end
end

---An output stays a document: a Lua table would lose the order of its members.
local output_of = assert(core.jmespath.compile("output"))

---The answers were recorded from services, and the lines are written by people.
local reading = { lenient = true, unique = true }

---@param file string
---@return table[] answers
local function read_answers(file)
  local text = parser.read_file(file)
  local answers, number = {}, 0
  for line in text:gmatch("[^\n]*") do
    number = number + 1
    if line:find("%S") then
      local answer, failure, note = core.json.decode(line, reading)
      failure = failure and ("column %d: %s"):format(failure.column, failure.message) or mistake_of(answer)
      if failure then parser.fail(("%s:%d: %s"):format(file, number, failure)) end
      if answer.output ~= nil then answer.output = output_of:query(assert(core.json.read(line, reading))) end
      answer.note = note
      answers[#answers + 1] = answer
    end
  end
  if #answers == 0 then parser.fail(("%s: expected at least one line, found none"):format(file)) end
  return answers
end

---Returns what header() and text() ask of.
---@return bide.AnswerParts? parts
local function parts_of(answer)
  if not answer.headers and not answer.text then return nil end
  local lines
  for name, values in pairs(answer.headers or {}) do
    for _, value in ipairs(type(values) == "table" and values or { values }) do
      lines = ("%s%s: %s\r\n"):format(lines or "", name, value)
    end
  end
  return { status = answer.status, headers = lines, text = answer.text }
end

---Returns an operation that answers attempt n with line n.
local function operation_of(answers)
  local attempt = 0
  return function()
    attempt = attempt + 1
    local answer = answers[math.min(attempt, #answers)]
    retries.note(answer.note)
    if answer.duration and answer.duration > 0 then bide.sleep(answer.duration) end
    if answer.error then error(answer.error, 0) end
    local parts = parts_of(answer)
    if not (answer.retryAfter or answer.status or answer.unread or parts) then return answer.output end
    return operation.answer(answer.output, answer.retryAfter, answer.status, answer.unread, parts)
  end
end

---@param arguments string[]
---@return integer code
function M.main(arguments)
  parser.refuse_command(arguments)
  local options = M.new_parser():parse(arguments)
  parser.require_max_wait(options)
  untrusted.apply(options, {
    recipes = { options.recipe, table.unpack(options.with) }, files = { options.answers, table.unpack(input.files(options)) },
    open = function() wait.open_files(options) end,
  })
  local one = branch.of(branch.load(options), options, operation_of(read_answers(options.answers)))
  core.loop.use_virtual_clock()
  return (exit_code.decide(wait.run(options, {
    prepared = { branch.prepare(one) }, codes = { one.codes }, is_virtual = true,
    new_progress = function()
      return require("bide.record.report.progress").new { live = false, verbose = options.verbose, heartbeat = false }
    end,
  }), core.loop.signal()))
end

return M
