---Makes tables of others, and compares them.

local json = require("bide.core").json

local M = {}

---Returns a new table with the members of all given tables, of which later ones replace earlier ones.
---@param ... table? one that is nil has no members
---@return table
function M.merged(...)
  local all = {}
  for position = 1, select("#", ...) do
    for name, value in pairs((select(position, ...)) or {}) do all[name] = value end
  end
  return all
end

---Appends the elements of one list to another.
---@param list any[]
---@param others any[]? nil if there are none
---@return any[] list
function M.append(list, others)
  return others and table.move(others, 1, #others, #list + 1, list) or list
end

---Returns a new list with the elements of all given lists.
---@param ... any[]? one that is nil has no elements
---@return any[]
function M.joined(...)
  local all = {}
  for position = 1, select("#", ...) do M.append(all, (select(position, ...))) end
  return all
end

---Returns a new list with what f gives for each element.
---@param list any[]
---@param f fun(element: any): any
---@return any[]
function M.mapped(list, f)
  local all = {}
  for position, element in ipairs(list) do all[position] = f(element) end
  return all
end

---Returns the elements of a list as a set.
---@param list any[]
---@return table<any, true>
function M.set(list)
  local all = {}
  for _, element in ipairs(list) do all[element] = true end
  return all
end

---Reports whether a list has an element that is equal to a value.
---@param list any[]
---@param value any
---@return boolean
function M.has(list, value)
  for _, element in ipairs(list) do
    if element == value then return true end
  end
  return false
end

---Returns an object, which JSON knows as one also if it is empty.
---@param object table
---@return table
function M.as_object(object)
  return next(object) ~= nil and object or json.decode "{}"
end

---Reports whether a value is a table with members by name, and no list.
---@param value any
---@return boolean
function M.is_object(value)
  return type(value) == "table" and not json.is_array(value)
end

---Returns a deep copy of a table, without metatables and without shared parts; functions and texts stay as they are.
---@param value any
---@param depth? integer
function M.plain(value, depth)
  depth = depth or 0
  if type(value) ~= "table" then return value end
  if depth > 32 then error("the tables are nested too deeply", 0) end
  local copied = {}
  for name, member in next, value do
    if type(name) == "table" then error("expected a string or a number as a name, found a table", 0) end
    copied[name] = M.plain(member, depth + 1)
  end
  return copied
end

---Reports whether two values are equal member by member.
---@param a any
---@param b any
---@return boolean
function M.equals(a, b)
  if a == b then return true end
  if type(a) ~= "table" or type(b) ~= "table" then return false end
  for name, value in pairs(a) do
    if not M.equals(value, b[name]) then return false end
  end
  for name in pairs(b) do
    if a[name] == nil then return false end
  end
  return true
end

return M
