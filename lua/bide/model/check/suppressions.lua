---Which events a model suppresses: by the trait @suppress on a shape, or by the metadata `suppressions` for a namespace.
---An ERROR cannot be suppressed.

local M = {}

---Reports whether an id is that of the suppression, or below it.
---@param id string
---@param suppressed string
---@return boolean
function M.covers(id, suppressed)
  return id == suppressed or id:sub(1, #suppressed + 1) == suppressed .. "."
end

local function in_list(list, id)
  for _, suppressed in ipairs(type(list) == "table" and list or {}) do
    if type(suppressed) == "string" and M.covers(id, suppressed) then return true end
  end
  return false
end

---The suppressions of all sources; read once.
local function of_metadata(model)
  if model.suppressions then return model.suppressions end
  model.suppressions = {}
  for _, source in ipairs(model.sources) do
    local list = source.document:value("metadata", "suppressions")
    for _, entry in ipairs(type(list) == "table" and list or {}) do
      if type(entry) == "table" then table.insert(model.suppressions, entry) end
    end
  end
  return model.suppressions
end

---@param model bide.Model
---@param shape bide.ModelShape
---@param event { id: string, severity: string }
---@return boolean
function M.hold(model, shape, event)
  if event.severity == "ERROR" then return false end
  if in_list(shape.traits["smithy.api#suppress"], event.id) then return true end
  local namespace = shape.id:match "^(.*)#"
  for _, entry in ipairs(of_metadata(model)) do
    if (entry.namespace == "*" or entry.namespace == namespace) and in_list({ entry.id }, event.id) then return true end
  end
  return false
end

return M
