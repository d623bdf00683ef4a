---bide list: lists the waiters that recipes define.

local acceptors = require "bide.cli.acceptors"
local bide = require "bide"
local duration = require "bide.duration"
local exit_code = require "bide.cli.exit_code"
local parser = require "bide.cli.parser"
local process = require "bide.cli.process"
local recipe_path = require "bide.recipe.path"
local shown = require "bide.shown"
local streak = require "bide.wait.streak"
local untrusted = require "bide.cli.untrusted"

local M = { summary = "list the waiters of recipes" }

local function new_parser()
  local command = parser.new("list",
    "List the waiters of recipes; without RECIPE, of all recipes in BIDE_PATH and all bundled ones.",
    "bide list things.lua")
  command:argument("recipes", "Lua or JSON files, or names of bundled recipes or of those in BIDE_PATH.")
    :args("*"):argname("RECIPE")
  parser.add_with(command)
  acceptors.add_options(command)
  untrusted.add_options(command)
  return command
end

---Returns the first sentence of a documentation text, which says what the waiter is for.
local function first_sentence(text)
  return text and (text:gsub("%s+", " "):match("^(.-%.)%s") or text) or ""
end

---Describes the delays, and the members beyond the specification.
local function timing(waiter)
  local words = { ("%s to %s"):format(duration.format(waiter.min_delay), duration.format(waiter.max_delay)) }
  local beyond, names = waiter.beyond, waiter:outcome_names()
  if waiter.initial_delay then words[#words + 1] = "first after " .. duration.format(waiter.initial_delay) end
  if beyond.hold_attempts then words[#words + 1] = "held for " .. streak.length(beyond.hold_attempts, beyond.hold_time) end
  if beyond.watched then words[#words + 1] = ("backoff reset when %s changes"):format(beyond.watched) end
  if #names > 0 then words[#words + 1] = table.concat(names, " or ") end
  return table.concat(words, ", ")
end

---Returns the marks of a waiter: its tags, its opposite, and whether it is deprecated.
local function marks(waiter)
  local text = #waiter.tags > 0 and (" [%s]"):format(table.concat(waiter.tags, ", ")) or ""
  if waiter.opposite then text = ("%s (--invert: %s)"):format(text, waiter.opposite) end
  return waiter.deprecated and text .. " (deprecated)" or text
end

---Prints the acceptors of a waiter if the command line changes them.
local function print_acceptors(options, waiter)
  local derived = acceptors.apply(options, waiter)
  if derived == waiter then return end
  for _, line in ipairs(acceptors.lines(derived)) do shown.print("    " .. line) end
end

local function print_recipe(recipe_name, loaded, options)
  shown.print(recipe_name)
  for _, name in ipairs(loaded.names) do
    local waiter = loaded.waiters[name]
    shown.print(("  %-24s %-20s %s  %s%s"):format(name, waiter.operation or "-", timing(waiter),
      first_sentence(waiter.documentation), marks(waiter)))
    print_acceptors(options, waiter)
  end
end

---@param arguments string[]
---@return integer code
function M.main(arguments)
  local options = new_parser():parse(arguments)
  local named = table.move(options.recipes, 1, #options.recipes, 1, {})
  untrusted.apply(options, { recipes = table.move(options.with, 1, #options.with, #named + 1, named) })
  process.restrain_recipes()
  local are_named = #options.recipes > 0
  local code = exit_code.SUCCESS
  for _, name in ipairs(are_named and options.recipes or recipe_path.names()) do
    local loaded, mistake, has_none = bide.load(name, { with = options.with })
    if loaded then
      print_recipe(name, loaded, options)
    elseif are_named or not has_none then -- a file for --with in BIDE_PATH is not a recipe, and not a mistake
      shown.complain_in_lines(mistake)
      code = exit_code.USAGE
    end
  end
  return code
end

return M
