---Values on both sides: Lua's as parameters of a statement, PostgreSQL's as columns of its rows.
---
---A column is asked for as text the first time; after that, when its type is known, in binary if that is shorter to read.
---Both give the same value: integers, numbers, booleans, lists, and strings for all other types.

local array = require "bide.probe.postgres.array"
local option = require "bide.text.option"

local unpack, unhex = string.unpack, require("bide.core").text.unhex

local M = {}

-- ---- columns ----------------------------------------------------------------------------------

local function cut(bytes, first, last) return bytes:sub(first, last) end

---Returns what reads a number of a fixed size.
---@return bide.postgres.Decode
local function fixed(format, words)
  local size = string.packsize(format)
  return function(bytes, first, last, refuse)
    if last - first + 1 ~= size then refuse(("%s of %d bytes"):format(words, last - first + 1)) end
    return (unpack(format, bytes, first))
  end
end

local function integer_of_text(bytes, first, last, refuse)
  return math.tointeger(tonumber(bytes:sub(first, last))) or refuse "a text in place of a whole number"
end

local special = { NaN = 0 / 0, Infinity = math.huge, ["-Infinity"] = -math.huge }

local function number_of_text(bytes, first, last, refuse)
  local text = bytes:sub(first, last)
  local number = special[text] or tonumber(text)
  return number and number + 0.0 or refuse "a text in place of a number"
end

local function flag_of_text(bytes, first, last, refuse)
  local text = bytes:sub(first, last)
  if text ~= "t" and text ~= "f" then refuse "a text in place of a boolean" end
  return text == "t"
end

local function flag_of_binary(bytes, first, last, refuse)
  if first ~= last then refuse(("a boolean of %d bytes"):format(last - first + 1)) end
  return bytes:byte(first) ~= 0
end

---Reads bytes as text: `\x0a1b`, or with `bytea_output=escape` `a\\b\001`.
local function bytes_of_text(bytes, first, last, refuse)
  local text = bytes:sub(first, last)
  if text:sub(1, 2) == "\\x" then return unhex(text, 3) or refuse "a bytea of other digits than pairs of them" end
  return (text:gsub("\\([0-3\\][0-7]?[0-7]?)", function(escape)
    local code = tonumber(escape, 8)
    return code and string.char(code) or escape
  end))
end

---The functions that read the values of a type.
---@class bide.postgres.Type
---@field text bide.postgres.Decode
---@field binary? bide.postgres.Decode nil if a value is read as text alone
---@field is_text? boolean whether both are the same
---@field letter? string by which the core reads it in binary

---@type table<integer, bide.postgres.Type>
local types = {
  [16] = { text = flag_of_text, binary = flag_of_binary },
  [17] = { text = bytes_of_text, binary = cut },
  [20] = { text = integer_of_text, binary = fixed(">i8", "a bigint"), letter = "l" },
  [21] = { text = integer_of_text, binary = fixed(">i2", "a smallint"), letter = "h" },
  [23] = { text = integer_of_text, binary = fixed(">i4", "an int"), letter = "i" },
  [26] = { text = integer_of_text, binary = fixed(">I4", "an oid"), letter = "u" },
  [700] = { text = number_of_text },
  [701] = { text = number_of_text, binary = fixed(">d", "a double"), letter = "d" },
}

for _, oid in ipairs { 19, 25, 114, 1042, 1043 } do types[oid] = { text = cut, binary = cut, is_text = true } end

local of_others = { text = cut }

---Makes the type of arrays of a type.
local function add_array(oid, element)
  local of_element = types[element]
  types[oid] = {
    text = function(bytes, first, last, refuse)
      return array.read_text(bytes:sub(first, last), of_element.text, refuse)
    end,
    binary = function(bytes, first, last, refuse)
      return array.read(bytes, first, last, of_element.binary, refuse)
    end,
    letter = of_element.letter and of_element.letter:upper(),
  }
end

add_array(1000, 16)
add_array(1001, 17)
add_array(1005, 21)
add_array(1007, 23)
add_array(1009, 25)
add_array(1016, 20)

---Returns the format in which the columns of a type are asked for: 1 is binary.
---@param oid integer
---@return integer
function M.format_of(oid)
  local found = types[oid]
  return found and found.binary and not found.is_text and 1 or 0
end

---Returns what reads the values of a column; nil if nothing does.
---@param oid integer
---@param format integer
---@return bide.postgres.Decode?
function M.decoder(oid, format)
  local found = types[oid] or of_others
  if format == 0 then return found.text end
  return format == 1 and found.binary or nil
end

---Returns the letter by which the core reads a column.
---@param oid integer
---@param format integer
---@return string
function M.kind_of(oid, format)
  local found = types[oid] or of_others
  if format == 0 then return found.text == cut and "s" or "-" end
  return found.binary == cut and "s" or found.letter or "-"
end

-- ---- parameters -------------------------------------------------------------------------------

---A value whose type is said.
---@class bide.postgres.session.Typed
---@field oid integer
---@field bytes string
local Typed = {}
Typed.__metatable = "bide.postgres.typed"

---Says which element of a list is wrong, and what it should be.
local function mistake_in(place, words, value, member)
  if not member then return ("%s: %s"):format(place, option.expected(words, value)) end
  if type(value) ~= "table" then return ("%s: %s"):format(place, option.expected("a table", value)) end
  return ("%s.%s: %s"):format(place, member, option.expected(words, rawget(value, member)))
end

---Returns what makes arrays of an element.
---@param name string for messages
---@param element bide.postgres.Element
---@return fun(list: table, member: string?): bide.postgres.session.Typed
local function maker(name, element)
  return function(list, member)
    if type(list) ~= "table" or getmetatable(list) then error(("%s: %s"):format(name, option.expected("a list", list)), 2) end
    local bytes, position = array.write(element, list, member)
    if not bytes then error(mistake_in(("%s[%d]"):format(name, position), element.words, list[position], member), 2) end
    return setmetatable({ oid = element.array, bytes = bytes }, Typed)
  end
end

---The types of parameters that Lua's values do not show: arrays, whose lists have their number in `n` if they have NULLs,
---and bytes. With a member, the elements of an array are that member of each table in the list.
---@class bide.postgres.session.Types
---@field bigints fun(list: table, member: string?): bide.postgres.session.Typed
---@field ints fun(list: table, member: string?): bide.postgres.session.Typed
---@field texts fun(list: table, member: string?): bide.postgres.session.Typed
---@field byteas fun(list: table, member: string?): bide.postgres.session.Typed
---@field bytea fun(bytes: string): bide.postgres.session.Typed
M.types = {
  bigints = maker("bigints", array.elements.bigint),
  ints = maker("ints", array.elements.int),
  texts = maker("texts", array.elements.text),
  byteas = maker("byteas", array.elements.bytea),
  bytea = function(bytes)
    if type(bytes) ~= "string" then error("bytea: " .. option.expected("a string", bytes), 2) end
    return setmetatable({ oid = array.elements.bytea.oid, bytes = bytes }, Typed)
  end,
}

local function of_number(value)
  if math.type(value) == "integer" then return ("%d"):format(value) end
  if value ~= value then return "NaN" end
  if value == math.huge or value == -math.huge then return value > 0 and "Infinity" or "-Infinity" end
  return ("%.17g"):format(value)
end

local writers = {
  ["nil"] = function() return false end,
  string = function(value) return value end,
  number = of_number,
  boolean = function(value) return value and "t" or "f" end,
}

---Returns a value of Lua as text; false for NULL, nil for what has no text.
---@param value any
---@return string|false|nil
function M.text_of(value)
  local write = writers[type(value)]
  if write then return write(value) end
end

local TEXT, BINARY = "\0\0", "\0\1"

---Parameters as the protocol has them.
---@class bide.postgres.Parameters
---@field values (string|false)[]
---@field formats string packed
---@field types integer[] 0 lets the server decide
---@field signature string distinguishes lists of types

local no_parameters = { values = {}, formats = "", types = {}, signature = "" }

---@param given table as table.pack gives it
---@return bide.postgres.Parameters?
---@return string? mistake
function M.write(given)
  if given.n == 0 then return no_parameters end
  local values, formats, oids, is_typed = {}, {}, {}, false
  for position = 1, given.n do
    local value = given[position]
    local write = writers[type(value)]
    if write then
      values[position], formats[position], oids[position] = write(value), TEXT, 0
    elseif getmetatable(value) == Typed.__metatable then
      values[position], formats[position], oids[position], is_typed = value.bytes, BINARY, value.oid, true
    else
      local words = "a string, a number, a boolean, nil, or a value of types"
      return nil, ("parameter %d: %s"):format(position, option.expected(words, value))
    end
  end
  return { values = values, formats = table.concat(formats), types = is_typed and oids or {},
    signature = is_typed and table.concat(oids, ",") or "" }
end

return M
