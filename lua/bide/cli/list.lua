---bide list: what recipes define.

local duration = require "bide.duration"
local exit = require "bide.cli.exit"
local exit_code = require "bide.exit_code"
local parser = require "bide.cli.parser"
local recipe = require "bide.recipe"

local M = { summary = "list the waiters of recipes" }

local function new_parser()
  local command = parser.new("list", "List the waiters of recipes; without a recipe, the recipes that come with bide.",
    "bide list things.lua")
  command:argument("recipes", "Lua or JSON files, or names of recipes that come with bide."):args("*"):argname("RECIPE")
  command:option("--with", "A Lua file with operations for waiters that come without."):argname("FILE")
  return command
end

---The first sentence says what a waiter is for.
local function first_sentence(text)
  return text and (text:gsub("%s+", " "):match("^(.-%.)%s") or text) or ""
end

local function print_recipe(recipe_name, loaded)
  io.stdout:write(recipe_name, "\n")
  for _, name in ipairs(loaded.names) do
    local waiter = loaded.waiters[name]
    io.stdout:write(("  %-24s %-20s %s to %s  %s%s\n"):format(name, waiter.operation or "-",
      duration.format(waiter.min_delay), duration.format(waiter.max_delay),
      first_sentence(waiter.documentation), waiter.deprecated and " (deprecated)" or ""))
  end
end

---@param arguments string[]
---@return integer code
function M.main(arguments)
  local options = new_parser():parse(arguments)
  exit.forbid_to_recipes()
  local names = #options.recipes > 0 and options.recipes or recipe.own_names()
  local code = exit_code.SUCCESS
  for _, name in ipairs(names) do
    local loaded, mistake = recipe.load(name, { with = options.with })
    if loaded then
      print_recipe(name, loaded)
    else
      io.stderr:write("bide: ", mistake, "\n")
      code = exit_code.USAGE
    end
  end
  return code
end

return M
