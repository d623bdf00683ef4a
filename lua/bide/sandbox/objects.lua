---Protects the objects that scripts hold: replaces them by proxies in sandboxed scripts.

local tables = require "bide.text.tables"

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
  local index = tables.merged(members)
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

return M
