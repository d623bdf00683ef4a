---Options as scripts give them to a probe: names and kinds are checked before
---anything is done. A mistake is returned as text, for the caller to raise at its own level.

local nearest = require("bide.core").names.nearest
local shown = require "bide.shown"

local M = {}

local floor = math.floor

local function is_count(value, least, bound)
  return math.type(value) and value >= least and value < bound and floor(value) == value
end

---Each kind of option: what it is called in messages, and whether a value is one.
M.kinds = {
  text = { "a string", function(value) return type(value) == "string" end },
  table = { "a table", function(value) return type(value) == "table" end },
  flag = { "a boolean", function(value) return type(value) == "boolean" end },
  callable = { "a function", function(value) return type(value) == "function" end },
  any = { "a value", function() return true end },
  count = { "a whole number, 0 or more", function(value) return is_count(value, 0, 2 ^ 31) end },
  size = { "a whole number above 0", function(value) return is_count(value, 1, 2 ^ 53) end },
  integer = { "a whole number", function(value) return math.type(value) and math.tointeger(value) ~= nil end },
  seconds = { "a number above 0", function(value)
    return type(value) == "number" and value > 0
  end },
  number_or_function = { "a number or a function", function(value)
    return type(value) == "number" or type(value) == "function"
  end },
}

---A set of the names in a text.
---@param names string with blanks between them
---@return table<string, true>
function M.set(names)
  local members = {}
  for name in names:gmatch("%S+") do members[name] = true end
  return members
end

---A value as a message shows it.
function M.describe(value)
  if type(value) == "string" then return shown.quote(#value > 40 and value:sub(1, 40) or value) end
  if type(value) == "number" or type(value) == "boolean" then return tostring(value) end
  return type(value)
end

local function unknown(name, kind_of)
  local names = {}
  for known in pairs(kind_of) do names[#names + 1] = known end
  table.sort(names)
  local near = type(name) == "string" and nearest(name, names)
  if near then return ("unknown option '%s' (did you mean '%s'?)"):format(name, near) end
  return ("unknown option '%s'"):format(tostring(name))
end

---Returns what is wrong with the options; nil where nothing is.
---@param given table
---@param kind_of table<string, table> the kind of every option
---@return string? mistake
function M.check(given, kind_of)
  for name, value in pairs(given) do
    local kind = kind_of[name]
    if not kind then return unknown(name, kind_of) end
    if not kind[2](value) then
      return ("the option '%s' must be %s, and is %s"):format(name, kind[1], M.describe(value))
    end
  end
end

return M
