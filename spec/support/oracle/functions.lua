---The functions of JMESPath for the plain evaluator: how many arguments each takes, of which types, and what it gives.

local json = require "spec.support.oracle.json"
local value = require "spec.support.oracle.value"

local M = {}

local null = value.null

local function fail(kind)
  error({ kind = kind }, 0)
end

-- ---- types ----------------------------------------------------------------------------

local function is_array_of(kind)
  return function(given)
    if value.type(given) ~= "array" then return false end
    for _, element in ipairs(given.elements) do
      if value.type(element) ~= kind then return false end
    end
    return true
  end
end

local function is_a(...)
  local kinds = {}
  for _, kind in ipairs { ... } do kinds[kind] = true end
  return function(given) return kinds[value.type(given)] or false end
end

local number, string, array, object = is_a "number", is_a "string", is_a "array", is_a "object"
local any = is_a("null", "boolean", "number", "string", "array", "object")
local numbers, strings = is_array_of "number", is_array_of "string"
local function ordered(given) return numbers(given) or strings(given) end

---Stands for what an argument `&a` is: the evaluator hands a function over.
local function reference(given) return type(given) == "function" end

-- ---- numbers --------------------------------------------------------------------------

local function finite(double)
  return math.abs(double) < math.huge and double or fail "invalid-value"
end

---The exact sum of whole numbers, as how many times 2^32 and what is left, which is below 2^32; nil for others.
local function whole_sum(list)
  local high, low = 0, 0
  for _, each in ipairs(list) do
    if math.type(each) == "float" then return nil end
    local is_large = type(each) == "table"
    local bits = is_large and each.unsigned or each
    high = high + (is_large and bits >> 32 or bits // (1 << 32))
    low = low + (bits & 0xFFFFFFFF)
  end
  return high + (low >> 32), low & 0xFFFFFFFF
end

---The whole number; nil where it fits neither an int64 nor a uint64.
local function joined(high, low)
  if high < -(1 << 31) or high >= 1 << 32 then return nil end
  local bits = high << 32 | low
  return high >= 1 << 31 and value.unsigned(bits) or bits
end

local function add_doubles(list)
  local sum = 0.0
  for _, each in ipairs(list) do sum = sum + value.to_double(each) end
  return sum
end

local function sum(list)
  local high, low = whole_sum(list.elements)
  if not high then return finite(add_doubles(list.elements)) end
  return joined(high, low) or high * 2.0 ^ 32 + low
end

local function avg(list)
  local count = #list.elements
  local high, low = whole_sum(list.elements)
  if count == 0 then return null end
  if not high then return finite(add_doubles(list.elements) / count) end
  local rest = (high % count << 32) + low
  return rest % count == 0 and joined(high // count, rest // count) or (high * 2.0 ^ 32 + low) / count
end

local function abs(given)
  if math.type(given) == "integer" and given == math.mininteger then return value.unsigned(given) end
  return type(given) == "table" and given or math.abs(given)
end

---math.floor and math.ceil give an integer where one holds it.
local function rounded(round)
  return function(given) return type(given) == "table" and given or round(given) end
end

local function to_number(given)
  if number(given) then return given end
  local read = string(given) and json.number(given)
  return read and read ~= "too large" and read or null
end

-- ---- order ----------------------------------------------------------------------------

---Strings are ordered by their code points, which is the order of their bytes.
local function is_below(a, b)
  if not string(a) then return value.compare_numbers(a, b) < 0 end
  for at = 1, math.min(#a, #b) do
    if a:byte(at) ~= b:byte(at) then return a:byte(at) < b:byte(at) end
  end
  return #a < #b
end

---Each element with its key, in the order of the keys: every one behind those that are not above it.
local function sorted(elements, keys)
  local list = {}
  for position, element in ipairs(elements) do
    local place = #list + 1
    while place > 1 and is_below(keys[position], list[place - 1].key) do place = place - 1 end
    table.insert(list, place, { key = keys[position], element = element })
  end
  for place, entry in ipairs(list) do list[place] = entry.element end
  return value.array(list)
end

---The first one that no other is beyond.
local function extreme(elements, keys, is_beyond)
  local best
  for position in ipairs(elements) do
    if not best or is_beyond(keys[position], keys[best]) then best = position end
  end
  if not best then return null end
  return elements[best]
end

local function is_above(a, b) return is_below(b, a) end

local function keys_of(list, by)
  local keys = {}
  for position, element in ipairs(list.elements) do keys[position] = by(element) end
  return ordered(value.array(keys)) and keys or fail "invalid-type"
end

-- ---- strings and lists ----------------------------------------------------------------

local function characters(text)
  local list = {}
  for _, code in utf8.codes(text) do list[#list + 1] = utf8.char(code) end
  return list
end

local function reversed(list)
  local result = {}
  for position = #list, 1, -1 do result[#result + 1] = list[position] end
  return result
end

local function reverse(given)
  if string(given) then return table.concat(reversed(characters(given))) end
  return value.array(reversed(given.elements))
end

local function length(given)
  return string(given) and utf8.len(given) or #(given.elements or given.names)
end

local function contains(where, wanted)
  if string(where) then return string(wanted) and where:find(wanted, 1, true) ~= nil end
  for _, element in ipairs(where.elements) do
    if value.equal(element, wanted) then return true end
  end
  return false
end

local function map(by, list)
  local result = {}
  for position, element in ipairs(list.elements) do result[position] = by(element) end
  return value.array(result)
end

local function merge(...)
  local result = value.object()
  for _, each in ipairs { ... } do
    for _, name in ipairs(each.names) do value.put(result, name, each.values[name]) end
  end
  return result
end

local function values(given)
  local list = {}
  for position, name in ipairs(given.names) do list[position] = given.values[name] end
  return value.array(list)
end

local function not_null(...)
  for _, each in ipairs { ... } do
    if each ~= null then return each end
  end
  return null
end

-- ---- all of them ----------------------------------------------------------------------

---What each takes, and what it gives. The last type holds for all further arguments of those that take any number.
local functions = {
  abs = { abs, number },
  avg = { avg, numbers },
  ceil = { rounded(math.ceil), number },
  contains = { contains, is_a("array", "string"), any },
  ends_with = { function(text, part) return text:sub(math.max(#text - #part, 0) + 1) == part end, string, string },
  floor = { rounded(math.floor), number },
  join = { function(glue, list) return table.concat(list.elements, glue) end, string, strings },
  keys = { function(given) return value.array({ table.unpack(given.names) }) end, object },
  length = { length, is_a("string", "array", "object") },
  map = { map, reference, array },
  max = { function(list) return extreme(list.elements, list.elements, is_above) end, ordered },
  max_by = { function(list, by) return extreme(list.elements, keys_of(list, by), is_above) end, array, reference },
  merge = { merge, object, most = math.huge },
  min = { function(list) return extreme(list.elements, list.elements, is_below) end, ordered },
  min_by = { function(list, by) return extreme(list.elements, keys_of(list, by), is_below) end, array, reference },
  not_null = { not_null, any, most = math.huge },
  reverse = { reverse, is_a("string", "array") },
  sort = { function(list) return sorted(list.elements, list.elements) end, ordered },
  sort_by = { function(list, by) return sorted(list.elements, keys_of(list, by)) end, array, reference },
  starts_with = { function(text, part) return text:sub(1, #part) == part end, string, string },
  sum = { sum, numbers },
  to_array = { function(given) return array(given) and given or value.array { given } end, any },
  to_number = { to_number, any },
  to_string = { function(given) return string(given) and given or json.write(given) end, any },
  type = { value.type, any },
  values = { values, object },
}

M.arity, M.names = {}, {}
for name, entry in pairs(functions) do
  M.arity[name] = { #entry - 1, entry.most or #entry - 1 }
  M.names[#M.names + 1] = name
end
table.sort(M.names)

---@param name string
---@param arguments any[] values; a Lua function for an expression reference
---@return any
function M.call(name, arguments)
  local entry = functions[name]
  for position, argument in ipairs(arguments) do
    local takes = entry[position + 1] or entry[#entry]
    if reference(argument) ~= (takes == reference) or not takes(argument) then fail "invalid-type" end
  end
  return entry[1](table.unpack(arguments))
end

return M
