---Waiters of one name on several operations of a service: the operations of its resources are among them.

local M = {}

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

---The operations of a service, each once.
---@param model bide.Model
---@param service string
---@return string[] ids
function M.operations(model, service)
  local list, seen = {}, {}
  for _, id in ipairs(operations_below(model, service)) do
    if not seen[id] then list[#list + 1] = id end
    seen[id] = true
  end
  return list
end

local function report_conflicts(add, service, name, users)
  for _, user in ipairs(users) do
    local others = {}
    for _, other in ipairs(users) do
      if other ~= user then others[#others + 1] = ("%s of %s"):format(other.waiter, other.operation) end
    end
    add(user.operation, { id = "UniqueWaiterNames", severity = "ERROR", waiter = user.waiter, path = "\n" .. user.waiter,
      message = ("the name %s is taken, whatever its case, in the service %s: by %s"):format(name, service,
        table.concat(others, ", ")) })
  end
end

---Reports whether two waiters have one name, whatever its case. Most models need no closures, which are large.
local function has_namesakes(waiters_of)
  local seen = {}
  for _, waiters in pairs(waiters_of) do
    for waiter in pairs(waiters) do
      local name = waiter:lower()
      if seen[name] then return true end
      seen[name] = true
    end
  end
  return false
end

---@param model bide.Model
---@param waiters_of table<string, table<string, any>> the trait's value by operation
---@param add fun(operation: string, event: table)
function M.check(model, waiters_of, add)
  for _, service in ipairs(has_namesakes(waiters_of) and model.service_ids or {}) do
    local users, names = {}, {}
    for _, operation in ipairs(M.operations(model, service)) do
      for waiter in pairs(waiters_of[operation] or {}) do
        local name = waiter:lower()
        if not users[name] then
          users[name], names[#names + 1] = {}, name
        end
        table.insert(users[name], { operation = operation, waiter = waiter })
      end
    end
    table.sort(names)
    for _, name in ipairs(names) do
      table.sort(users[name], function(a, b) return a.operation .. a.waiter < b.operation .. b.waiter end)
      if #users[name] > 1 then report_conflicts(add, service, users[name][1].waiter, users[name]) end
    end
  end
end

return M
