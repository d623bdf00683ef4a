---Finds the members that a model calls sensitive (Smithy 2.0, "sensitive trait"), which are hidden by their names.

local tables = require "bide.text.tables"

local SENSITIVE <const> = "smithy.api#sensitive"

local M = {}

---Reports whether a model may have the trait, by its text, without reading its shapes. Data that are not packed may say it in
---other words, as botocore's do; and any text may have escapes.
---@param model bide.Model
---@return boolean
local function may_have_any(model)
  for _, source in ipairs(model.sources) do
    local text = source.text
    if not source.is_packed or text:find(SENSITIVE, 1, true) or text:find("\\u", 1, true) then return true end
  end
  return false
end

---@param model bide.Model
---@param ids string[] of shapes
---@return string[] names of the sensitive members of these shapes and of all that they contain, each once
function M.names(model, ids)
  if not may_have_any(model) then return {} end
  local pending, met, names, is_known = tables.joined(ids), {}, {}, {}
  while #pending > 0 do
    local shape = model:shape(table.remove(pending))
    for _, member in ipairs(shape and shape.members or {}) do
      local target = model:shape(member.target)
      local is_sensitive = member.traits[SENSITIVE] ~= nil or target and target.traits[SENSITIVE] ~= nil
      if is_sensitive and not is_known[member.name] then names[#names + 1], is_known[member.name] = member.name, true end
      if not met[member.target] then pending[#pending + 1], met[member.target] = member.target, true end
    end
  end
  return names
end

return M
