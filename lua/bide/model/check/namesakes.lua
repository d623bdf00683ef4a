---Finds waiters of one name on several operations of a service, whatever its case.

local operations_of = require "bide.model.protocol.closure"

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
return function(model, waiters_of, add)
  for _, service in ipairs(has_namesakes(waiters_of) and model.service_ids or {}) do
    local users, names = {}, {}
    for _, operation in ipairs(operations_of(model, service)) do
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
