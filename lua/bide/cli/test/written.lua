---Writes Lua values as a person would write them into a test file.

local core = require "bide.core"
local tables = require "bide.text.tables"

local M = {}

local function is_name(text)
  return type(text) == "string" and text:find "^[%a_][%w_]*$" and not load(("local %s"):format(text), "", "t") == false
end

local function of_text(text)
  return (("%q"):format(text):gsub("\\\n", "\\n"):gsub("[\0-\8\11-\31\127]", function(byte)
    return ("\\%03d"):format(byte:byte())
  end))
end

---@param value any of JSON
---@param names? string[] the order of the members; the others follow by their names
---@return string
function M.value(value, names)
  if value == core.json.null then return "null" end
  if type(value) == "string" then return of_text(value) end
  if type(value) == "number" then return math.type(value) == "integer" and ("%d"):format(value) or ("%.14g"):format(value) end
  if type(value) ~= "table" then return tostring(value) end
  local parts, known = {}, {}
  for position, one in ipairs(value) do parts[position], known[position] = M.value(one), true end
  local order, others = {}, {}
  for _, name in ipairs(names or {}) do
    if value[name] ~= nil then order[#order + 1], known[name] = name, true end
  end
  for name in pairs(value) do
    if not known[name] then others[#others + 1] = name end
  end
  table.sort(others, function(a, b) return tostring(a) < tostring(b) end)
  for _, name in ipairs(tables.append(order, others)) do
    local key = is_name(name) and name or ("[%s]"):format(M.value(name))
    parts[#parts + 1] = ("%s = %s"):format(key, M.value(value[name]))
  end
  return #parts == 0 and "{}" or ("{ %s }"):format(table.concat(parts, ", "))
end

return M
