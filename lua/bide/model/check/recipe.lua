---Checks a recipe that is no model: a Lua file, which is loaded and never called, or a bare trait value. What keeps it
---from loading is an event, and so is what its acceptors can never match, as far as shapes or samples show.

local check_trait = require "bide.model.check.trait"
local check_waiters = require "bide.model.check.waiters"
local core = require "bide.core"
local declared = require "bide.model.check.declared"
local lints = require "bide.model.check.lints"
local places = require "bide.recipe.file.places"
local tables = require "bide.text.tables"
local vocabulary = require "bide.recipe.expression.vocabulary"

local M = {}

---The known types of the outputs of operations.
---@class bide.check.Samples
---@field output? bide.Shape

---A mistake of loading is a text; its place is at its beginning.
local function event_of_mistake(file, line)
  local number, column, message = line:match("^" .. file:gsub("%p", "%%%0") .. ":(%d+):(%d*):?%s*(.*)$")
  return { id = "Model", severity = "ERROR", file = file, line = math.tointeger(tonumber(number)) or 1,
    column = math.tointeger(tonumber(column)) or 1, message = message or line }
end

---Adds the mistakes of loading. A file of the current folder is loaded as `./file`.
local function add_mistakes(events, file, text)
  local loaded = "\n%f[^\n]([warning: ]*)%./" .. file:gsub("%p", "%%%0") .. ":"
  text = ("\n" .. text):gsub(loaded, function(before) return ("\n%s%s:"):format(before, file) end):sub(2)
  for line in text:gmatch "[^\n]+" do
    if line:find "^warning: " then break end -- the last lines
    if line:find(file, 1, true) == 1 or #events == 0 then
      events[#events + 1] = event_of_mistake(file, line)
    else
      events[#events].message = events[#events].message .. "\n" .. line -- a caret below an expression
    end
  end
end

---The structure of a waiter as the lints take it.
local function structure_of(waiter)
  local function seconds(delay) return delay % 1000 == 0 and delay // 1000 or delay / 1000 end
  return {
    acceptors = waiter.acceptors, lateness = waiter.lateness,
    minDelay = seconds(waiter.min_delay), maxDelay = seconds(waiter.max_delay),
  }
end

---Checks a bare trait value by Smithy's own rules, each part at its place.
---@param samples bide.check.Samples?
---@param events bide.check.Event[] gets the events
---@return boolean is_valid whether none of them is an ERROR
local function check_value(file, text, samples, events)
  local waiters, is_valid = core.json.decode(text, { lenient = true }), true
  local function add(event)
    event.file = file
    event.line, event.column = require "bide.model.syntax.json_place"(text, event.path)
    events[#events + 1], is_valid = event, is_valid and event.severity ~= "ERROR"
  end
  if check_trait.check(waiters, add, check_trait.beyond_smithy) then
    check_waiters.check(add, waiters, { input = "any", output = samples and samples.output or "any" })
  end
  for name, waiter in pairs(waiters) do lints.check(add, name, waiter, { is_ours = false }) end
  return is_valid
end

---@param recipe bide.Recipe
---@param samples bide.check.Samples?
---@param events bide.check.Event[]
local function check_recipe(recipe, file, text, samples, events)
  for _, name in ipairs(recipe.names) do
    local waiter = recipe.waiters[name]
    local _entered <close> = vocabulary.enter(waiter.vocabulary)
    local function add(event)
      event.file, event.line, event.column = file, places.line_of(text, name) or 1, 1
      events[#events + 1] = event
    end
    declared.check(add, waiter, samples and samples.output)
    lints.check(add, name, structure_of(waiter), { name = waiter.operation, is_ours = true })
  end
end

---@param file string
---@param text string
---@param load fun(file: string): bide.Recipe?, string?
---@param samples bide.check.Samples?
---@param events bide.check.Event[]
---@param own bide.Vocabulary of a trait
function M.check(file, text, load, samples, events, own)
  local is_trait = file:find "%.json$" ~= nil or text:find "^[%s\xEF\xBB\xBF]*{" ~= nil
  if is_trait and not vocabulary.within(own, check_value)(file, text, samples, events) then return end
  local recipe, mistake = load(file)
  if not recipe then
    local found = {}
    add_mistakes(found, file, mistake)
    tables.append(events, found)
  elseif not is_trait then
    check_recipe(recipe, file, text, samples, events)
  end
end

return M
