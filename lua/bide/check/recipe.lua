---Checks a recipe that is no model: a Lua file, which is loaded and never called, or a bare trait value. What keeps it
---from loading is an event, and so is what its acceptors can never match, as far as shapes or samples show.

local lints = require "bide.check.lints"
local paths = require "bide.check.paths"
local places = require "bide.recipe.places"

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

local function add_mistakes(events, file, text)
  for line in text:gmatch "[^\n]+" do
    if line:find(file, 1, true) == 1 or #events == 0 then
      if not line:find "^warning: " then events[#events + 1] = event_of_mistake(file, line) end
    else
      events[#events].message = events[#events].message .. "\n" .. line -- a caret below an expression
    end
  end
end

---The structure of a waiter as the lints take it.
local function structure_of(waiter)
  return { acceptors = waiter.acceptors, minDelay = waiter.min_delay % 1000 == 0 and waiter.min_delay // 1000 or
    waiter.min_delay / 1000, maxDelay = waiter.max_delay % 1000 == 0 and waiter.max_delay // 1000 or waiter.max_delay / 1000 }
end

local types_of_inputs = { string = "string", boolean = "boolean", integer = "number", number = "number", duration = "number",
  size = "number", object = "object" }

---The static type of a declaration (see bide.recipe.inputs).
---@param declared table<string, bide.InputMember>
---@return bide.Shape
local function static_of(declared)
  local members = {}
  for name, member in pairs(declared) do
    local of = member.type == "list" and { array = member.of and (static_of { of = member.of }).object.of or "any" }
    local fields = member.type == "object" and member.members and static_of(member.members)
    members[name] = of or fields or types_of_inputs[member.type] or "any"
  end
  return { object = members }
end

---@param static bide.Shape of the output
local function check_paths(add, waiter, static)
  for position, acceptor in ipairs(waiter.acceptors) do
    local place = { waiter = waiter.name, acceptor = position - 1, path = "" }
    local matcher = acceptor.matcher
    if matcher.output then paths.check_matcher(add, place, matcher.output, static) end
    if matcher.inputOutput then
      paths.check_matcher(add, place, matcher.inputOutput, { object = { input = "any", output = static } })
    end
    if acceptor.message then paths.check_message(add, place, acceptor.message, static) end
  end
end

---Returns the events at DANGER of a waiter, by what its operation declares.
---@param waiter bide.Waiter
---@return bide.check.Finding[]
function M.dangers(waiter)
  local events = {}
  check_paths(function(event)
    if event.severity == "DANGER" then events[#events + 1] = event end
  end, waiter, waiter.output and static_of(waiter.output) or "any")
  return events
end

---@param file string
---@param text string
---@param load fun(file: string): bide.Recipe?, string?
---@param samples bide.check.Samples?
---@param events bide.check.Event[]
function M.check(file, text, load, samples, events)
  local is_trait = file:find "%.json$" ~= nil or text:find "^[%s\xEF\xBB\xBF]*{" ~= nil
  local recipe, mistake = load(file)
  if not recipe then
    local found = {}
    add_mistakes(found, file, mistake)
    table.move(found, 1, #found, #events + 1, events)
    return
  end
  local line_of = is_trait and places.line_of_member or places.line_of
  for _, name in ipairs(recipe.names) do
    local waiter = recipe.waiters[name]
    local function add(event)
      event.file, event.line, event.column = file, line_of(text, name) or 1, 1
      events[#events + 1] = event
    end
    local static = waiter.output and static_of(waiter.output) or samples and samples.output or "any"
    check_paths(add, waiter, static)
    lints.check(add, name, structure_of(waiter), { name = waiter.operation, is_ours = not is_trait })
  end
end

return M
