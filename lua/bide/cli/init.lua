---The command line of bide: finds the command, runs it as a task, and returns its exit code.

local commands = require "bide.cli.commands"
local exit_code = require "bide.cli.ending.exit_code"
local process = require "bide.cli.ending.process"
local tables = require "bide.text.tables"

require "bide.model.for_recipes"

local M = {}

local function usage()
  local overview, lines = require "bide.cli.help.overview", {}
  local function add(format, ...) lines[#lines + 1] = format:format(...):gsub("%s+$", "") end
  add("bide %s.\n", overview.purpose)
  for position, row in ipairs(overview.usage) do
    add("%s%-25s %s", position == 1 and "\nUsage: " or "       ", row[1], row[2])
  end
  add "\nCommands:"
  for _, name in ipairs(commands) do add("  %-11s %s", name, commands.module(name).summary) end
  add ""
  for _, row in ipairs(overview.more) do add("  %-21s %s", row[1], row[2]) end
  add("\n" .. exit_code.title)
  for position, line in ipairs(exit_code.lines()) do
    if position > 1 then add("%s", line) end
  end
  add("\nExample:\n  %s", overview.example)
  return table.concat(lines, "\n") .. "\n"
end

local function print_document(text)
  return exit_code.unless_reported(exit_code.SUCCESS, require("bide.text.shown").print_document(text))
end

local function fail(message, code)
  require("bide.text.shown").complain(tostring(message))
  return code
end

---Names of `run` in other tools.
local names_of_run = { poll = true, ["until"] = true, wait = true, ["wait-for"] = true, wait4x = true, ["wait-on"] = true }

local function unknown(name)
  if not name:find "%S" then return fail("expected a recipe or a command, found an empty text", exit_code.USAGE) end
  local path = require "bide.recipe.file.path"
  local hint = path.hint(name) or path.find("aws:" .. name) and "the service of AWS is bide aws " .. name
  local near = names_of_run[name] and "run" or not hint and path.near(name, tables.append(path.names(), commands))
  local quoted = require("bide.text.shown").quote(name)
  return fail(("unknown command %s%s"):format(quoted, near and (", did you mean %q?"):format(near)
    or ": " .. (hint or "bide --help shows the commands, bide list the recipes")), exit_code.USAGE)
end

---Reports whether a word is a recipe: the name of one, or a path, which is nothing else but an address.
local function is_recipe(name)
  local path = require "bide.recipe.file.path"
  return path.find(name) ~= nil or not path.is_name(name) and not path.hint(name)
end

---Returns the mistake of a command line that begins with an option.
---@param given string
---@param rest string[] the words behind it
---@return string
local function early_option(given, rest)
  if given == "--each" then return "--each: write bide run --each …, with the RECIPE before --each if all waits have one" end
  for _, word in ipairs(rest) do
    if not word:find "^%-" and is_recipe(word) then
      return ("%s: options follow the recipe: bide %s … %s"):format(given, word, given)
    end
  end
  local near = require("bide.core").names.nearest(given, { "--help", "--version" })
  return ("%s: expected a command or a recipe first; options follow it (see bide --help)%s"):format(given,
    near and (", did you mean %s?"):format(near) or "")
end

---Returns the exit code of an error that a command or the loop raised: a script's, if a callback of a script raised it, or a
---function of a script that bide had called. Raises a fault of bide itself, and lack of memory.
---@param failure any
---@param culprit? function the callback that raised it
local function code_of(failure, culprit)
  local script_error = require "bide.text.script_error"
  local is_of_script = script_error.is(failure) or culprit and not script_error.is_own(culprit)
  if not is_of_script or script_error.is_out_of_memory(failure) then error(failure, 0) end
  return fail(failure, exit_code.SCRIPT_ERROR)
end

---Runs the loop until the task of the command has ended.
---@param ending { how: string? }
---@return integer? code if the loop ended first
local function turn_until(ending)
  local turn = require("bide.core").loop.turn
  local turned, failure = pcall(function()
    while not ending.how and turn() do end
  end)
  if not turned then return code_of(failure, require("bide.core").loop.culprit()) end
  if not ending.how then
    return fail("the script waits for something that can never happen", exit_code.SCRIPT_ERROR)
  end
end

---Runs a command as a task, in which any call may wait, and returns its exit code. Raises a fault of bide
---itself. If memory runs out, the task may fail before the command has begun.
local function run(command, arguments)
  local ending = {}
  local core = require "bide.core"
  require("bide.task.coroutines").install()
  local function body() return xpcall(command.main, debug.traceback, arguments) end
  local descriptors = package.loaded["bide.descriptor_limit"]
  if descriptors then core.process.declare_program(descriptors) end -- only the program sets it
  core.task.start(body, function(_, ...) ending.how, ending.ok, ending.value = ... end)
  local code = turn_until(ending)
  if code then return code end
  if ending.how ~= "returned" then error(ending.ok or "the command was " .. ending.how, 0) end
  if ending.ok then return ending.value end
  return code_of(ending.value)
end

---Returns the exit code of a command. A fault is reported here and not in main.c: closing the Lua state
---there would wait for work that cannot be stopped.
local function run_to_exit_code(name, arguments)
  local ok, code = pcall(run, commands.module(name), arguments)
  if ok then return code end
  require("bide.text.shown").complain_in_lines(tostring(code))
  return exit_code.FAULT
end

---@param arguments string[]
---@return integer code
function M.main(arguments)
  local name = table.remove(arguments, 1)
  if name == nil then
    require("bide.text.shown").note_in_lines((usage():gsub("\n$", "")))
    return exit_code.USAGE
  end
  if name == "--version" or name == "-V" or name == "version" then
    return print_document(table.concat(require("bide.cli.help.versions").of_each_run(), "\n") .. "\n")
  end
  local asked = name == "help" and (arguments[1] or "--help") or name
  if asked == "--help" or asked == "-h" then return print_document(usage()) end
  for _, known in ipairs(commands) do
    if name == known then return process.finish(run_to_exit_code(name, arguments)) end
  end
  if name:find "^%-" then return fail(early_option(name, arguments), exit_code.USAGE) end
  if not is_recipe(name) then return unknown(name) end
  return process.finish(run_to_exit_code("run", { name, table.unpack(arguments) }))
end

return M
