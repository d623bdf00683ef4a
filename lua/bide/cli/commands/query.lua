---bide query: prints the result of a JMESPath expression.

local chunk = require "bide.recipe.file.chunk"
local core = require "bide.core"
local exit_code = require "bide.cli.ending.exit_code"
local foreign = require "bide.recipe.expression.foreign"
local json_text = require "bide.cli.report.json"
local option = require "bide.text.option"
local parser = require "bide.cli.words.parser"
local process = require "bide.cli.ending.process"
local recipe_path = require "bide.recipe.file.path"
local script_error = require "bide.text.script_error"
local script_limits = require "bide.task.script_limits"
local shared = require "bide.cli.words.shared_options"
local shown = require "bide.text.shown"
local untrusted = require "bide.cli.words.untrusted"
local uv = require "luv"
local vocabulary = require "bide.recipe.expression.vocabulary"
local whole_file = require "bide.text.whole_file"

local json, jmespath = core.json, core.jmespath

local M = { summary = "evaluate a JMESPath expression" }

function M.new_parser()
  local command = parser.new("query", "Print the result of a JMESPath expression as JSON, for each document of the input.",
    "bide query 'Reservations[].Instances[].State.Name' answer.json")
  command:argument("expression", "A JMESPath expression.")
  command:argument("file", "A file of one or more JSON documents. Default: standard input."):args("?")
  command:usage "Usage: bide query EXPRESSION [FILE] [options]"
  command:flag("-c --compact", "Print each result on one line.")
  command:flag("-r --raw", "Print strings without quotes, and the elements of a list on one line each.")
  command:flag("--ast", "Print the syntax tree of the expression; evaluate nothing.")
  command:flag("--check", "Print the problems of the expression; evaluate nothing.")
  command:option("--input", "With --check: look also for problems with such input; FILE has a sample of it."):argname("FILE")
  shared.add_with(command, "A Lua file that registers functions. May be repeated.")
  untrusted.add_options(command)
  return command
end

---Returns an expression that is true where its value is a text.
local function written(expression, wanted)
  return wanted and ("%s == '%s'"):format(expression, wanted) or expression
end

---Reads a part of standard input; nil at its end.
local function read_standard_input()
  local part, mistake = uv.fs_read(0, 1 << 16, -1)
  if not part then parser.fail("standard input: " .. mistake) end
  return part ~= "" and part or nil
end

---Returns what reads the next part of a file, which has all of a document; ends the process if it cannot be opened.
---@param file string
local function reader_of(file)
  local handle, unopened = whole_file.open(file)
  if not handle then
    local is_json = file:find "^%s*[%[{\"]"
    parser.fail(is_json and option.expected("a file, or JSON on standard input", file) or unopened)
  end
  return function()
    local part, mistake = handle:read(whole_file.DOCUMENT)
    return part or mistake and parser.fail(("%s: %s"):format(file, mistake)) or nil
  end
end

---Iterates over the documents of a file, or of standard input as they arrive.
local function each_document(file)
  local from_file = file and file ~= "-"
  local stream = json_text.documents(from_file and reader_of(file) or read_standard_input)
  local name = from_file and file or "standard input"
  return function()
    local document, mistake, note = stream:next()
    if mistake then parser.fail(("%s: %s"):format(name, mistake)) end
    if note then shown.warn(("%s: %s"):format(name, note)) end
    return document
  end
end

local function fail(mistake)
  shown.note_in_lines(tostring(mistake))
  return exit_code.FAILURE
end

---Runs a file that registers functions.
---@param own bide.Vocabulary
local function load_with(name, own)
  local file, text, mistake, ran
  file, mistake = recipe_path.find(name)
  if file then text, mistake = chunk.read(file) end
  if not text then parser.fail(mistake) end
  ran, mistake = chunk.run(file, text, own)
  if not ran then parser.fail(mistake) end
end

---@param result userdata a document
---@param options table
---@return string
local function text_of_result(result, options)
  if options.raw and result:type() == "string" then return options.as_shown(result:value()) end
  if options.raw and result:type() == "array" then
    local lines = {}
    for i, element in ipairs(result:value()) do
      lines[i] = type(element) == "string" and element or assert(json.encode(element))
    end
    return options.as_shown(table.concat(lines, "\n"))
  end
  local text = assert(result:json { indent = not options.compact, escape = true })
  return options.colours and json_text.coloured(text) or text
end

---Evaluates under protection. An error's text may come from a metamethod of the script, so it is made here.
local function ask(expression, document)
  local ran, result, mistake = pcall(expression.query, expression, document)
  if ran then return nil, result, mistake end
  script_error.pass_out_of_memory(result)
  return tostring(result)
end

---Evaluates the expression. A function that raises is a bug in a script, not in the expression.
local function query(expression, document)
  local within, failure, result, mistake = script_limits.guard(ask, expression, document)
  if within and not failure then return result, mistake end
  shown.complain("script error: " .. failure)
  return nil, nil
end

---Writes to standard output; ends the process if that fails, since no program reads the rest.
local function write(...)
  if not shown.print_document(...) then process.exit(exit_code.FAILURE) end
end

local function evaluate(expression, options)
  local found = false
  for document in each_document(options.file) do
    found = true
    local result, mistake = query(expression, document)
    if not result then return mistake and fail(mistake) or exit_code.SCRIPT_ERROR end
    local text = text_of_result(result, options)
    if text ~= "" or not options.raw then write(text, "\n") end
  end
  if not found then parser.fail(("%s: found no JSON document"):format(options.file or "standard input")) end
  return exit_code.SUCCESS
end

---Returns the type that all documents of a file share.
local function shape_of(file)
  local values = {}
  for document in each_document(file) do values[#values + 1] = document:value() end
  if #values == 0 then parser.fail(file .. ": found no JSON document") end
  return jmespath.shape_of(json.array(values)).array
end

local function check(expression, options)
  local sample = options.input or options.file
  local shape = sample and shape_of(sample)
  local problems = assert(expression:analyse(shape)).problems
  for _, problem in ipairs(problems) do
    write(("%s: %s\n"):format(problem.severity, tostring(problem)))
  end
  return #problems == 0 and exit_code.SUCCESS or exit_code.FAILURE
end

function M.main(arguments)
  local options = M.new_parser():parse(arguments)
  untrusted.apply(options, { recipes = options.with, files = { options.input, options.file } })
  if options.input and not options.check then parser.fail("--input needs --check") end
  options.colours = shown.is_coloured(1)
  options.as_shown = uv.guess_handle(1) == "tty" and shown.lines or function(text) return text end
  local own = chunk.vocabulary()
  for _, file in ipairs(options.with) do load_with(file, own) end
  local expression, mistake = vocabulary.within(own, jmespath.compile)(options.expression)
  if not expression then
    shown.note_in_lines(foreign.explain(tostring(mistake), options.expression, written))
    return exit_code.USAGE
  end
  if options.check then return check(expression, options) end
  if options.ast then
    write(text_of_result(assert(expression:tree()), { compact = options.compact, colours = options.colours }), "\n")
    return exit_code.SUCCESS
  end
  return evaluate(expression, options)
end

return M
