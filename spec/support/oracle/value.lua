---Values of the plain reader and the plain evaluator, which bide's own are compared with. A boolean, a string, an
---int64 (a Lua integer) and a double (a Lua float) stand for themselves; the others are tables.

local M = {}

M.null = setmetatable({}, { __name = "null" })

---A whole number from 2^63 to 2^64 - 1, by its bits.
function M.unsigned(bits)
  return { unsigned = bits }
end

function M.array(elements)
  return { elements = elements }
end

---An object without members; M.put adds them.
function M.object()
  return { names = {}, values = {} }
end

---Of equal names the last value counts, at the place of the first.
function M.put(object, name, value)
  if object.values[name] == nil then object.names[#object.names + 1] = name end
  object.values[name] = value
end

---The words of JMESPath's type().
function M.type(value)
  if value == M.null then return "null" end
  if type(value) ~= "table" then return type(value) end
  return value.elements and "array" or value.names and "object" or "number"
end

---A whole number without its sign as text; nil where it needs more than 64 bits.
function M.read_unsigned(digits)
  local most = "18446744073709551615"
  if #digits > #most or (#digits == #most and digits > most) then return nil end
  local bits = 0
  for digit in digits:gmatch "%d" do bits = bits * 10 + tonumber(digit) end
  return bits < 0 and M.unsigned(bits) or bits
end

---The double next to a number.
function M.to_double(number)
  if type(number) ~= "table" then return number + 0.0 end
  local high, low = number.unsigned >> 32, number.unsigned & 0xFFFFFFFF
  return high * 2.0 ^ 32 + low
end

---Below 0, 0 or above 0, exactly. Lua compares an integer and a float as mathematics does.
function M.compare_numbers(a, b)
  local a_is_large, b_is_large = type(a) == "table", type(b) == "table"
  if not a_is_large and not b_is_large then return a < b and -1 or a > b and 1 or 0 end
  if not a_is_large then return -M.compare_numbers(b, a) end
  if b_is_large then return math.ult(a.unsigned, b.unsigned) and -1 or a.unsigned == b.unsigned and 0 or 1 end
  if b < 2.0 ^ 63 then return 1 end
  if b >= 2.0 ^ 64 then return -1 end
  return M.compare_numbers(a.unsigned & math.maxinteger, math.tointeger(b - 2.0 ^ 63))
end

local function same_elements(a, b)
  if #a.elements ~= #b.elements then return false end
  for position, element in ipairs(a.elements) do
    if not M.equal(element, b.elements[position]) then return false end
  end
  return true
end

local function same_members(a, b)
  if #a.names ~= #b.names then return false end
  for name, value in pairs(a.values) do
    if b.values[name] == nil or not M.equal(value, b.values[name]) then return false end
  end
  return true
end

---Equality as JMESPath has it.
function M.equal(a, b)
  local kind = M.type(a)
  if kind ~= M.type(b) then return false end
  if kind == "number" then return M.compare_numbers(a, b) == 0 end
  if kind == "array" then return same_elements(a, b) end
  if kind == "object" then return same_members(a, b) end
  return a == b
end

return M
