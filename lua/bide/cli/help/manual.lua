---The page of a recipe: what it is for, its waiters, and the inputs of its operations.

local chunk = require "bide.recipe.file.chunk"
local duration = require "bide.text.duration"
local declaration = require "bide.recipe.input.declaration"
local inputs = require "bide.recipe.input.inputs"
local limits = require "bide.recipe.waiter.limits"
local plain = require "bide.text.documentation"
local shown = require "bide.text.shown"
local tables = require "bide.text.tables"

local M = {}

---Returns the first sentence of a documentation text.
---@param text string?
---@return string
function M.first_sentence(text)
  local words = plain(text or "")
  return words:match "^(.-%.)%s" or words
end

-- ---- inputs ------------------------------------------------------------------------------------

local function type_of(member)
  local words = member.type
  if member.type == "list" and member.of then words = "list of " .. type_of(member.of) end
  if member.values then words = ("%s (%s)"):format(words, table.concat(tables.mapped(member.values, tostring), ", ")) end
  if member.minimum and member.maximum then return ("%s %s to %s"):format(words, member.minimum, member.maximum) end
  if member.minimum then return ("%s, at least %s"):format(words, member.minimum) end
  return member.maximum and ("%s, at most %s"):format(words, member.maximum) or words
end

---Returns a value as the command line takes it, without the name.
local function value_of(name, member, value)
  if member.type == "duration" then return ("%gs"):format(value) end
  return (inputs.assignment(name, member, value):gsub("^[^=]*=", ""))
end

---Returns everything about an input but its name and its documentation.
local function traits_of(name, member)
  local words = { type_of(member) }
  if member.required then words[#words + 1] = "required" end
  if member.positional then words[#words + 1] = "word " .. member.positional end
  if member.option then words[#words + 1] = member.option end
  if member.secret then words[#words + 1] = "secret" end
  if member.default ~= nil then words[#words + 1] = "default " .. value_of(name, member, member.default) end
  return table.concat(words, ", ")
end

local function widest(texts)
  local width = 0
  for _, text in ipairs(texts) do width = math.max(width, #text) end
  return width
end

---An input, in words.
---@class bide.cli.InputRow
---@field name string
---@field traits string its type and the like
---@field documentation string

---@param declared bide.Inputs
---@return bide.cli.InputRow[]
function M.input_rows(declared)
  local rows = {}
  for position, name in ipairs(declaration.names(declared)) do
    local documentation = (declared[name].documentation or ""):gsub("%s+", " ")
    rows[position] = { name = name, traits = traits_of(name, declared[name]), documentation = documentation }
  end
  return rows
end

---Returns a line for each input.
---@param declared bide.Inputs
---@param indent string
---@return string[]
function M.input_lines(declared, indent)
  local rows, names, traits, lines = M.input_rows(declared), {}, {}, {}
  for position, row in ipairs(rows) do names[position], traits[position] = row.name, row.traits end
  local form = ("%s%%-%ds  %%-%ds  %%s"):format(indent, math.min(widest(names), 40), math.min(widest(traits), 60))
  for position, row in ipairs(rows) do
    lines[position] = form:format(row.name, row.traits, row.documentation):gsub("%s+$", "")
  end
  return lines
end

---The waiters of a recipe whose operations take the same.
---@class bide.cli.InputGroup
---@field waiters string[]
---@field declared bide.Inputs?

---Returns the waiters of a recipe by the inputs of their operations, in the order of their names.
---@param recipe bide.Recipe
---@return bide.cli.InputGroup[]
function M.groups(recipe)
  local groups, by_operation = {}, {}
  for _, name in ipairs(recipe.names) do
    local waiter = recipe.waiters[name]
    local operation = waiter.operation or name
    local group = by_operation[operation]
    if not group then
      group = { waiters = {}, declared = waiter.inputs }
      by_operation[operation], groups[#groups + 1] = group, group
    end
    table.insert(group.waiters, name)
  end
  return groups
end

-- ---- the page ----------------------------------------------------------------------------------

---Returns the comment at the beginning of a Lua file.
---@param file string
---@return string[] lines
function M.header(file)
  local lines = {}
  for line in (file:find "%.lua$" and chunk.read(file) or ""):gmatch "([^\n]*)\n" do
    local text = line:match "^%-%-%-?%s?(.*)$"
    if not text then break end
    lines[#lines + 1] = text
  end
  return lines
end

---Returns an input as a word of the command line, without its name if it is positional.
local function word_of(name, member)
  local value = member.example == nil and "…" or member.example
  local is_plain = member.positional and type(value) == "string" and not value:find "="
  return shown.word(is_plain and value or inputs.assignment(name, member, value))
end

---Returns a line of shell that runs a waiter, with the examples of what it needs.
---@param recipe_name string
---@param recipe bide.Recipe
---@param waiter bide.Waiter
---@return string
function M.example(recipe_name, recipe, waiter)
  local is_named = #recipe.names > 1 and waiter.name ~= recipe.default
  local words = { "bide run", recipe_name }
  if is_named then words[#words + 1] = waiter.name end
  for _, name in ipairs(waiter.inputs and declaration.names(waiter.inputs) or {}) do
    local member = waiter.inputs[name]
    if member.required or member.positional == 1 then
      words[#words + 1] = word_of(name, member)
    end
  end
  local longest = recipe.facts and recipe.facts.longest[waiter.name]
  return ("%s --max-wait %s"):format(table.concat(words, " "), longest and duration.argument(longest * 1000) or "1m")
end

local function add(lines, ...)
  for _, line in ipairs { ... } do lines[#lines + 1] = line end
end

local function add_waiters(lines, recipe)
  local form = ("  %%-%ds  %%-16s  %%s%%s"):format(math.max(20, math.min(widest(recipe.names), 40)))
  add(lines, "Waiters:")
  for _, name in ipairs(recipe.names) do
    local waiter = recipe.waiters[name]
    local line = form:format(name, limits.describe_delays(waiter), M.first_sentence(waiter.documentation),
      name == recipe.default and #recipe.names > 1 and " (default)" or "")
    add(lines, (line:gsub("%s+$", "")))
    if waiter.witness then add(lines, "    " .. waiter.witness) end
  end
end

local function add_inputs(lines, recipe)
  local groups = M.groups(recipe)
  for _, group in ipairs(groups) do
    add(lines, "", #groups == 1 and "Inputs:" or ("Inputs of %s:"):format(table.concat(group.waiters, ", ")))
    add(lines, table.unpack(group.declared and M.input_lines(group.declared, "  ") or { "  any: the recipe declares none" }))
  end
end

---Returns the lines of the page.
---@param recipe_name string as the command line has it
---@param recipe bide.Recipe
---@param only? string the one waiter that it is about
---@return string[]
function M.page(recipe_name, recipe, only)
  local waiter = recipe.waiters[only or recipe.default or recipe.names[1]]
  local example = M.example(recipe_name, recipe, waiter)
  if only then recipe = setmetatable({ names = { only } }, { __index = recipe }) end
  local lines = M.header(recipe.file)
  if #lines > 0 then add(lines, "") end
  add_waiters(lines, recipe)
  add_inputs(lines, recipe)
  add(lines, "", "Example:", "  " .. example, "",
    "bide run --help lists the options.")
  return lines
end

return M
