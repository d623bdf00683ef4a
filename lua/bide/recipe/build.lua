---Builds a recipe of what its file defines: makes the waiters, and checks them. A mistake is reported with file, line, waiter
---and member.

local defined = require "bide.recipe.file.defined"
local definition = require "bide.recipe.waiter.definition"
local models = require "bide.recipe.file.models"
local option = require "bide.text.option"
local shown = require "bide.text.shown"
local tables = require "bide.text.tables"
local vocabulary = require "bide.recipe.expression.vocabulary"

local M = {}

local function is_callable(operation)
  return operation.call ~= nil or operation.prepare ~= nil
end

---Merges two definitions of an operation; members of the first one take precedence.
---@param name string
---@param first table
---@param second table
---@return table
function M.merge(name, first, second)
  local operation = { name = name, error_names = first.error_names, convert = first.convert,
    read_input = first.read_input, sensitive = first.sensitive }
  for _, member in ipairs(defined.beside_waiters) do
    operation[member] = first[member]
    if first[member] == nil then operation[member] = second[member] end
  end
  return operation
end

---@class bide.Loading
---@field recipe bide.Recipe
---@field new_waiter fun(name: string, checked: table, operation: table): bide.Waiter
---@field text string
---@field of_lua boolean
---@field defined bide.Defined
---@field taken table<string, string> lower-case names of waiters, as they were written
---@field mistakes string[]
---@field vocabulary bide.Vocabulary of the file
---@field load_all? fun(): bide.Recipe? loads the waiters that were left out
---@field known table<string, bide.KnownOfWaiter> of the waiters of a service of AWS, by name

---The most mistakes that are reported; each is looked up in the text.
local MOST_REPORTED = 20

local function report_problem(loading, name, problem)
  local list = problem.severity == "warning" and loading.recipe.warnings or loading.mistakes
  if #list >= MOST_REPORTED then
    list[MOST_REPORTED + 1] = "… and more like these"
    return
  end
  local where = defined.place(loading.recipe.file, loading.defined.line_of(loading.text, name))
  local path = problem.path == "" and name or name .. ": " .. problem.path
  list[#list + 1] = defined.describe(where, path, problem)
end

local function check_name(loading, name)
  if not definition.is_name(name) then return option.expected(definition.NAME, name) end
  local other = loading.taken[name:lower()]
  loading.taken[name:lower()] = name
  return other and ("the name is taken by %s: waiters are unique whatever their case"):format(other)
end

---Returns a function that gives the acceptors which bide check finds at DANGER, and what is wrong with each: its first line.
---It looks when it is called first.
---@param waiter bide.Waiter
---@return fun(): table<bide.AcceptorStructure, string>
local function dangers_of(recipe, waiter)
  local own, found = waiter.acceptors, nil
  return function()
    if found then return found end
    found = {}
    local _entered <close> = vocabulary.enter(waiter.vocabulary)
    local events = recipe.facts and recipe.facts.dangers(waiter.name) or models.dangers(waiter)
    for _, event in ipairs(events) do
      local acceptor = own[event.acceptor + 1]
      found[acceptor] = found[acceptor] or event.message:match "^[^\n]*"
    end
    return found
  end
end

---Returns a function that finds the other waiters that have an input, by its name.
---@param loading bide.Loading
---@return bide.FindTakers
local function takers_in(loading)
  return function(input)
    local takers, recipe = {}, loading.load_all and loading.load_all() or loading.recipe
    for _, name in ipairs(recipe.names) do
      local declared = recipe.waiters[name].inputs
      if declared and declared[input] then takers[#takers + 1] = name end
    end
    return takers
  end
end

local function add_waiter(loading, name, value, operation)
  local mistake = check_name(loading, name)
  if mistake then report_problem(loading, tostring(name), { path = "", text = mistake }) end
  local _entered <close> = vocabulary.enter(loading.vocabulary)
  local report = definition.check(value, loading.of_lua)
  for _, problem in ipairs(report.problems) do report_problem(loading, tostring(name), problem) end
  if mistake or definition.first_error(report) then return end
  local recipe = loading.recipe
  local checked = loading.of_lua and value or definition.portable_part(value)
  local made = loading.new_waiter(name, checked, operation)
  made.portable, made.unportable, made.files = report.portable, report.unportable, recipe.files
  local known = loading.known[name]
  for name_of_fact, fact in pairs(known or {}) do made[name_of_fact] = fact end
  made.dangers, made.find_takers = dangers_of(recipe, made), takers_in(loading)
  recipe.waiters[name] = made
  recipe.names[#recipe.names + 1] = name
end

---@return string mistake
function M.defined_twice(name, file, other)
  return shown.line(("%s: the operation %s is defined in %s already"):format(file, name, other))
end

---Records the default of an operation: a waiter of its own, and the only default in the recipe.
local function take_default(loading, operation, operation_name)
  local name = operation.default
  if not name then return end
  local recipe, waitable = loading.recipe, operation.waitable or {}
  local problem
  if not waitable[name] then
    problem = option.expected("a waiter of the operation", name, option.sorted_names(waitable))
  elseif recipe.default then
    problem = ("expected one default, found %s after %s"):format(shown.quote(name), shown.quote(recipe.default))
  end
  if problem then report_problem(loading, operation_name, { path = "default", text = problem }) end
  recipe.default = recipe.default or name
end

local function add_operations(loading, operations, with)
  for _, name in ipairs(option.sorted_keys(operations)) do
    local own, other = operations[name], with and with[name] or {}
    if is_callable(own) and is_callable(other) then
      table.insert(loading.mistakes, M.defined_twice(name, other.file, loading.recipe.file))
    end
    local operation = M.merge(name, own, other)
    for _, waiter_name in ipairs(option.sorted_keys(own.waitable or {})) do
      add_waiter(loading, waiter_name, own.waitable[waiter_name], operation)
    end
    take_default(loading, own, name)
  end
end

---Returns what is wrong with the opposite of a waiter; nil if nothing is.
local function mistake_of_opposite(recipe, waiter)
  local other = recipe.waiters[waiter.opposite]
  if not other then return option.expected("a waiter of this recipe", waiter.opposite, recipe.names) end
  if other == waiter then return option.expected("another waiter", waiter.opposite) end
  if other.opposite == waiter.name then return nil end
  return ("%s, whose opposite is %s"):format(
    option.expected(("a waiter whose opposite is %q"):format(waiter.name), waiter.opposite),
    other.opposite and shown.quote(other.opposite) or "missing")
end

local function check_opposites(loading)
  local recipe = loading.recipe
  for _, name in ipairs(recipe.names) do
    local waiter = recipe.waiters[name]
    local mistake = waiter.opposite and mistake_of_opposite(recipe, waiter)
    if mistake then report_problem(loading, name, { path = "opposite", text = mistake }) end
  end
end

---Adds the waiters of a trait value. It does not name its operation, which is the one of --with.
local function add_trait(loading, trait, with)
  local names = with and option.sorted_keys(with) or {}
  if with and #names ~= 1 then
    table.insert(loading.mistakes, ("%s: a bare trait value needs exactly one operation, and --with gives %d")
      :format(loading.recipe.file, #names))
  end
  local operation = M.merge(names[1], {}, names[1] and with[names[1]] or {})
  for _, name in ipairs(option.sorted_keys(trait)) do add_waiter(loading, name, trait[name], operation) end
end

---Adds the warnings to the mistakes. A warning may explain a mistake: a missing member is misspelt.
local function with_warnings(loading)
  local lines = tables.joined(loading.mistakes)
  for _, warning in ipairs(loading.recipe.warnings) do lines[#lines + 1] = "warning: " .. warning end
  return lines
end

---Puts the waiters together that the file defines, and checks them.
---@param loading bide.Loading
---@param with table<string, table>? the operations of --with
---@return bide.Recipe?
---@return string? mistake
---@return boolean? has_none
function M.build(loading, with)
  local recipe, own = loading.recipe, loading.defined
  if own.trait then add_trait(loading, own.trait, with) else add_operations(loading, own.operations, with) end
  if #recipe.names == 0 and #loading.mistakes == 0 then
    return nil, ("%s: expected at least one waiter, found none"):format(recipe.file), true
  end
  if #loading.mistakes == 0 then check_opposites(loading) end
  if #loading.mistakes > 0 then return nil, table.concat(with_warnings(loading), "\n") end
  table.sort(recipe.names)
  return recipe
end

return M
