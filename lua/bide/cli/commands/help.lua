---bide help: explains a command, or a recipe with its waiters and inputs, or prints a page of the documentation.

local bide = require "bide"
local commands = require "bide.cli.commands"
local core = require "bide.core"
local exit_code = require "bide.cli.ending.exit_code"
local pages = require "bide.cli.help.pages"
local parser = require "bide.cli.words.parser"
local process = require "bide.cli.ending.process"
local recipe_path = require "bide.recipe.file.path"
local shown = require "bide.text.shown"
local untrusted = require "bide.cli.words.untrusted"

local M = { summary = "explain a command or a recipe, or print a page of the documentation", help_parsers = {} }

---Prints the page of a recipe; ends the process if it cannot be loaded.
---@param name string
---@param arguments string[] of the command line, which may ask for a sandbox
---@param waiter? string the word behind the recipe: of a model, the page of that waiter is enough
---@return integer? code nil if the file is a list of waits, which has no page
function M.print_recipe(name, arguments, waiter)
  local sandbox
  for _, word in ipairs(arguments) do
    if word:find "^%-%-sandbox" then sandbox = { strict = word == "--sandbox=strict" } end
  end
  untrusted.apply({ sandbox = sandbox }, { recipes = { name } })
  process.restrain_recipes()
  local recipe, mistake, _, list = bide.load(name)
  if list then return nil end
  if not recipe then parser.fail_in_lines(mistake) end
  local only
  if recipe.facts and waiter and not waiter:find "=" then
    only, mistake = recipe:find(waiter)
    if not only then parser.fail(mistake) end
  end
  local lines = require("bide.cli.help.manual").page(name, recipe, only and only.name)
  return exit_code.unless_reported(exit_code.SUCCESS, shown.print(table.unpack(lines)))
end

---Returns the recipe that a command line asks about: `RECIPE … --help`.
---@param command table the parser, which knows the options that take an argument
---@param arguments string[]
---@return string? name
---@return string? word the one behind it
local function asked(command, arguments)
  local words, is_asked, position = {}, false, 1
  arguments = command:normalize(arguments)
  while arguments[position] and arguments[position] ~= "--" do
    local word = arguments[position]
    local option = command.options[word]
    is_asked = is_asked or word == "--help" or word == "-h"
    if word:sub(1, 1) ~= "-" then words[#words + 1] = word end
    position = position + (option and option.takes_argument and 2 or 1)
  end
  if is_asked then return words[1], words[2] end
end

---Prints the page of the recipe that a command line asks about.
---@param command table the parser
---@param arguments string[]
---@return integer? code nil if it asks about none
function M.answer(command, arguments)
  command:refuse_host(arguments)
  local name, waiter = asked(command, arguments)
  return name and M.print_recipe(name, arguments, waiter)
end

---The most columns of a line of the names of pages.
local COLUMNS <const> = 78

---Returns names in lines.
---@param names string[]
---@return string lines
local function in_lines(names)
  local lines = { " " }
  for position, name in ipairs(names) do
    local line = ("%s %s%s"):format(lines[#lines], name, names[position + 1] and "," or "")
    if #line > COLUMNS then lines[#lines + 1], line = " ", "  " .. line:match "%S+$" end
    lines[#lines] = line
  end
  return table.concat(lines, "\n")
end

---Returns the mistake for a name of nothing that help explains, in lines.
local function unknown(name, mistake)
  local names = pages.names()
  if #names == 0 then return ("%s; the pages of the documentation are not in %s"):format(mistake, pages.folder) end
  local near = not recipe_path.near(name, recipe_path.names()) and core.names.nearest(name, names)
  if near then return ("%s: no command, recipe or page has that name; did you mean %q?"):format(name, near) end
  if mistake:find "did you mean" then return mistake end
  return ("%s: no command, recipe or page has that name\n  bide --help lists the commands, bide list the recipes; "
    .. "the pages of the documentation are\n%s"):format(shown.line(name), in_lines(names))
end

function M.main(arguments)
  local name = arguments[1]
  if #arguments ~= 1 or name:sub(1, 1) == "-" then
    parser.fail "bide help takes one name, of a command, a recipe or a page of the documentation (see bide --help)"
  end
  for _, command in ipairs(commands) do
    if name == command then return commands.module(name).main { "--help" } end
  end
  local found, mistake = recipe_path.find(name)
  local page = not found and pages.read(name)
  if page then return exit_code.unless_reported(exit_code.SUCCESS, shown.print_document(page)) end
  if not found then parser.fail_in_lines(unknown(name, mistake)) end
  return M.print_recipe(name, {}) or parser.fail(name .. " is a list of waits, which takes no input")
end

return M
