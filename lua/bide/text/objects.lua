---Protects the objects that scripts hold: replaces them by proxies in sandboxed scripts.

local M = {}

local real_of = setmetatable({}, { __mode = "k" })
local stands_for = setmetatable({}, { __mode = "kv" })

---Returns a proxy for an object of bide, with its methods, for a sandboxed script. So no script changes what bide reads
---of its own objects.
---@param real table
---@param methods table<string, function> called with the object, not with its proxy
---@param members? table<string, any>
---@return table
function M.hide(real, methods, members)
  if stands_for[real] then return stands_for[real] end
  local index = {}
  for name, value in pairs(members or {}) do index[name] = value end
  for name, method in pairs(methods) do
    index[name] = function(self, ...) return method(M.reveal(self), ...) end
  end
  local hidden = setmetatable({}, { __index = index, __tostring = members and members.name and function()
    return members.name
  end })
  real_of[hidden], stands_for[real] = real, hidden
  return hidden
end

---Returns the object behind a proxy; any other value as it is.
function M.reveal(value)
  local real = type(value) == "table" and real_of[value]
  return real or value
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
