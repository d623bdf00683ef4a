---What counts as a yes, from the rules of docs/when-bide-says-yes.md and of Smithy, and random conditions over few names
---and constants, so that their parts often contradict each other.

local oracle_json = require "spec.support.oracle.json"
local value = require "spec.support.oracle.value"

local M = {}

local null = value.null
local random = math.random

-- ---- yes ---------------------------------------------------------------------------------------

local function is_empty(given)
  local kind = value.type(given)
  return (kind == "array" and #given.elements == 0) or (kind == "object" and #given.names == 0)
end

local function is_collection(given)
  local kind = value.type(given)
  return (kind == "array" or kind == "object") and not is_empty(given)
end

local texts_of_no = { ["false"] = true, no = true, off = true, none = true, ["0"] = true, [""] = true }

local function elements_equal(given, text)
  local count, equal = 0, 0
  if value.type(given) ~= "array" then return 0, 0 end
  for _, element in ipairs(given.elements) do
    count, equal = count + 1, equal + (element == text and 1 or 0)
  end
  return count, equal
end

local function is_scalar_equal(given, wanted)
  if value.type(given) ~= "number" then return given == wanted and type(given) ~= "table" or given == null end
  return value.compare_numbers(given, wanted) == 0
end

---Reports by its name whether a value is a yes.
---@type table<string, fun(given: any, wanted: any): boolean>
M.yes = {
  success = function(given) return given == true or is_collection(given) end,
  failure = function(given)
    local kind = value.type(given)
    if kind == "string" then return not texts_of_no[given:lower()] end
    if kind == "number" then return value.compare_numbers(given, 0) ~= 0 end
    return given == true or is_collection(given)
  end,
  truth = function(given)
    return given ~= null and given ~= false and given ~= "" and not is_empty(given)
  end,
  text = function(given, wanted)
    local kind = value.type(given)
    if kind == "string" then return given == wanted end
    return (kind == "number" or kind == "boolean") and oracle_json.write(given) == wanted
  end,
  value = function(given, wanted) return value.type(given) == value.type(wanted) and is_scalar_equal(given, wanted) end,
  stringEquals = function(given, wanted) return given == wanted end,
  booleanEquals = function(given, wanted) return given == (wanted == "true") end,
  allStringEquals = function(given, wanted)
    local count, equal = elements_equal(given, wanted)
    return count > 0 and count == equal
  end,
  anyStringEquals = function(given, wanted)
    local _, equal = elements_equal(given, wanted)
    return equal > 0
  end,
  message = function(given)
    if value.type(given) == "array" then
      for _, element in ipairs(given.elements) do
        if type(element) == "string" then return true end
      end
    end
    return type(given) == "string" and given ~= ""
  end,
}

-- ---- documents and conditions ------------------------------------------------------------------

local function one_of(choices)
  return choices[random(#choices)]
end

local names = { "a", "b", "c" }

local scalars = { "null", "true", "false", "0", "1", "2", "1.5", "-1", '""', '"x"', '"y"', '"no"', '"1"', '"number"' }

local function json(depth)
  local kind = depth <= 0 and 1 or random(5)
  if kind <= 2 then return one_of(scalars) end
  local parts = {}
  if kind == 3 then
    for position = 1, random(0, 3) do parts[position] = json(depth - 1) end
    return "[" .. table.concat(parts, ",") .. "]"
  end
  for _, name in ipairs(names) do
    if random(4) > 1 then parts[#parts + 1] = ('"%s":%s'):format(name, json(depth - 1)) end
  end
  return "{" .. table.concat(parts, ",") .. "}"
end

---@return string
function M.document()
  return json(random(0, 3))
end

local operand

local function literal()
  return "`" .. (random(4) == 1 and json(1) or one_of(scalars)) .. "`"
end

local function path()
  local text = one_of(names)
  if random(6) == 1 then text = "@" end
  for _ = 1, one_of { 0, 0, 0, 1, 1, 2 } do
    text = text .. one_of { ".a", ".b", "[0]", "[-1]", "[1]", "[*]", "[]", ".*", "[:2]", "[-1:]", "[1:2]" }
  end
  return text
end

local calls = {
  "length(%s)", "length(%s)", "type(%s)", "type(%s)", "to_string(%s)", "to_number(%s)", "to_array(%s)", "keys(%s)",
  "values(%s)", "sum(%s)", "avg(%s)", "max(%s)", "min(%s)", "sort(%s)", "reverse(%s)", "abs(%s)", "floor(%s)", "ceil(%s)",
  "not_null(%s, %s)", "contains(%s, %s)", "starts_with(%s, %s)", "ends_with(%s, %s)", "join('', %s)", "merge(%s, %s)",
  "map(&%s, %s)", "sort_by(%s, &%s)", "max_by(%s, &%s)",
}

local condition

---@param depth integer
function operand(depth)
  local kind = depth <= 0 and random(3) or random(9)
  if kind <= 2 then return path() end
  if kind == 3 then return literal() end
  if kind <= 6 then
    return (one_of(calls):gsub("%%s", function() return operand(depth - 1) end))
  end
  if kind == 7 then return ("%s[?%s]%s"):format(path(), condition(depth - 1), one_of { "", ".a", " | [0]" }) end
  if kind == 8 then return ("[%s, %s]"):format(operand(depth - 1), operand(depth - 1)) end
  return ("{a: %s, b: %s}%s"):format(operand(depth - 1), operand(depth - 1), one_of { "", ".a", ".c" })
end

---@param depth integer
function condition(depth)
  local kind = depth <= 0 and random(4) or random(9)
  if kind <= 3 then
    return ("%s %s %s"):format(operand(depth - 1), one_of { "==", "==", "!=", "<", "<=", ">", ">=" }, operand(depth - 1))
  end
  if kind == 4 then return operand(depth - 1) end
  if kind == 5 then return "!(" .. condition(depth - 1) .. ")" end
  if kind <= 8 then return ("(%s) && (%s)"):format(condition(depth - 1), condition(depth - 1)) end
  return ("(%s) || (%s)"):format(condition(depth - 1), condition(depth - 1))
end

---@return string
function M.condition()
  return condition(random(0, 3))
end

---A scalar in JSON.
---@return string
function M.scalar()
  return one_of(scalars)
end

---What a text is compared with.
---@return string
function M.text()
  return one_of { "x", "y", "1", "0", "1.5", "true", "false", "number", "-1", "", "no", "1.0" }
end

return M
