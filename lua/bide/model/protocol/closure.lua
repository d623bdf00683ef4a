---The operations of a service, those of its resources included.

local lists = { "operations", "collectionOperations" }
local lifecycle = { "create", "put", "read", "update", "delete", "list" }

---Adds the operations of a service or a resource, and its resources to those that are still to be read.
---@param found string[] ids of operations
---@param pending string[] ids of resources
local function add_operations(shape, found, pending)
  for _, name in ipairs(lists) do
    for _, reference in ipairs(shape.said[name] or {}) do found[#found + 1] = reference.target end
  end
  for _, name in ipairs(lifecycle) do
    if type(shape.said[name]) == "table" then found[#found + 1] = shape.said[name].target end
  end
  for _, reference in ipairs(shape.said.resources or {}) do pending[#pending + 1] = reference.target end
end

---@return string[] ids of the operations of a service and of the resources below it, perhaps several times
local function operations_below(model, service)
  local found, pending, seen = {}, { service }, {}
  while #pending > 0 do
    local id = table.remove(pending)
    local shape = not seen[id] and model:shape(id)
    seen[id] = true
    if shape then add_operations(shape, found, pending) end
  end
  return found
end

---Returns the operations of a service, each once.
---@param model bide.Model
---@param service string
---@return string[] ids
return function(model, service)
  local list, seen = {}, {}
  for _, id in ipairs(operations_below(model, service)) do
    if not seen[id] then list[#list + 1] = id end
    seen[id] = true
  end
  return list
end
