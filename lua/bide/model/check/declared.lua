---Checks a waiter of a recipe by what its operation declares to return.

local check_waiters = require "bide.model.check.waiters"

local M = {}

local types_of_inputs = { string = "string", boolean = "boolean", integer = "number", number = "number", duration = "number",
  size = "number", object = "object" }

---The static type of a declaration (see bide.recipe.input.inputs).
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

---Checks what a waiter looks at.
---@param add bide.check.Report
---@param waiter bide.Waiter
---@param output bide.Shape? if the recipe declares none
function M.check(add, waiter, output)
  output = waiter.output and static_of(waiter.output) or output or "any"
  check_waiters.check(add, { [waiter.name] = waiter }, { input = "any", output = output })
end

---Returns the events at DANGER of a waiter, by what its operation declares.
---@param waiter bide.Waiter
---@return bide.check.Finding[]
function M.dangers(waiter)
  local events = {}
  M.check(function(event)
    if event.severity == "DANGER" then events[#events + 1] = event end
  end, waiter)
  return events
end

return M
