---Values without parts. In the data, a blob is Base64, a timestamp is a number of seconds, and what no JSON number can be is
---one of the texts NaN, Infinity and -Infinity. On the wire of paths, queries, headers, forms and XML, each is one word.

local core = require "bide.core"
local expected = require("bide.text.option").expected
local retries = require "bide.task.retries"
local time = require "bide.model.protocol.time"
local traits = require "bide.model.protocol.traits"

local M = {}

---Reports whether a value of an input is missing: absent, or null.
function M.is_missing(value)
  return value == nil or value == core.json.null
end

---Calls a function that raises `{ message }` for a mistake of its data.
---@generic T
---@param f fun(...): T
---@return T?
---@return string? mistake if there is no value
---@return any more the second value
function M.guard(f, ...)
  local ok, value, more = pcall(f, ...)
  if ok then return value, nil, more end
  if type(value) == "table" and type(value[1]) == "string" then return nil, value[1] end
  error(value, 0)
end

---Raises the mistake of a value that is not what its shape says.
---@param place string the member, or the way to it
---@param kind string the type of the shape
---@param value any
function M.fail(place, kind, value)
  local article = kind:find "^[aeiou]" and "an " or "a "
  error({ ("%s: %s"):format(place, expected(article .. kind, value)) }, 0)
end

---Notes that a value of an answer is not what its shape says. Such a value stays as it came, so that a wait does not end
---for a member that no acceptor reads. The note names its place only, since the value may be a secret.
---@param names string[] of the members that lead to it
---@param place string the member, or the way to it
---@param kind string the type of the shape
function M.note(names, place, kind)
  retries.odd(names, ("the answer has no %s at %s"):format(kind, place))
end

---Reports whether a value has parts: is a list for the type list, and an object for others. A codec marks its own tables
---by a metatable that has the member `is_scalar`.
---@param kind string the type of the shape
---@param value any
---@return boolean
function M.has_parts(kind, value)
  local metatable = getmetatable(value)
  if type(value) ~= "table" or type(metatable) == "table" and rawget(metatable, "is_scalar") then return false end
  return next(value) == nil or M.is_marked_for(kind, value)
end

---Reports whether a table of an answer is a list for the type list, and an object for others. Only there does an empty one
---say which it is.
---@param kind string the type of the shape
---@param value table
---@return boolean
function M.is_marked_for(kind, value)
  return core.json.is_array(value) == (kind == "list" or kind == "set")
end

---Returns the keys of a map in their order, which are texts.
---@param name string of the member
---@param map table
---@return string[]
function M.sorted_keys(name, map)
  local keys = {}
  for key in pairs(map) do
    if type(key) ~= "string" then M.fail(name, "map with texts as keys", key) end
    keys[#keys + 1] = key
  end
  table.sort(keys)
  return keys
end

---The deepest that values of an input may be nested.
local DEEPEST = 512

---Calls f(walk, ...) for a value within another one, and refuses one that is nested without end.
---@param walk table whose member `depth` counts
---@param name string of the member
---@param f fun(walk: table, ...)
function M.within(walk, name, f, ...)
  local depth = (walk.depth or 0) + 1
  if depth > DEEPEST then error({ ("%s: expected at most %d levels, found more"):format(name, DEEPEST) }, 0) end
  walk.depth = depth
  f(walk, ...)
  walk.depth = depth - 1
end

-- ---- in the data ----------------------------------------------------------------------------

local function text(value)
  return type(value) == "string" and value or nil
end

local function truth(value)
  if type(value) == "boolean" then return value end
end

---An integer of 64 bits. Services send more than a shape of fewer bits says.
local function integer(value)
  return type(value) == "number" and math.tointeger(value) or nil
end

local function whole(value)
  if type(value) ~= "number" or value % 1 ~= 0 then return nil end -- of NaN and infinity too, this is NaN
  return math.tointeger(value) or value
end

local words = { NaN = 0 / 0, Infinity = math.huge, ["-Infinity"] = -math.huge }

---@return number|string|nil
local function fraction(value)
  if words[value] then return value end
  if type(value) ~= "number" then return nil end
  if value ~= value then return "NaN" end
  if math.abs(value) ~= math.huge then return value end
  return value > 0 and "Infinity" or "-Infinity"
end

local function encoded(value)
  return type(value) == "string" and #value % 4 == 0 and value:find "^[%w+/]*=?=?$" and value or nil
end

---Functions that return a value if it has the type in the data, and nil if it has not.
---@type table<string, fun(value: any): any>
M.of_data = {
  string = text, enum = text, boolean = truth, blob = encoded, timestamp = time.read,
  byte = integer, short = integer, integer = integer, long = integer, intEnum = integer, bigInteger = whole,
  float = fraction, double = fraction, bigDecimal = fraction,
  document = function(value) return value end,
}

---Returns a number of the data as one of Lua.
---@param value number|string
---@return number
function M.number(value)
  return words[value] or value
end

-- ---- as a word ------------------------------------------------------------------------------

local function whole_word(value)
  return math.type(value) == "integer" and ("%d"):format(value) or ("%.0f"):format(value)
end

---A float that is whole keeps its fraction, as other clients write it.
local function fraction_word(value)
  if type(value) == "string" then return value end
  if math.type(value) == "integer" then return ("%d"):format(value) end
  return value % 1 == 0 and math.abs(value) < 0x1p53 and ("%.1f"):format(value) or core.json.encode(value)
end

---Functions that make words of values of the data. A type without a row has tostring.
local writers = {
  byte = whole_word, short = whole_word, integer = whole_word, long = whole_word, bigInteger = whole_word,
  intEnum = whole_word, float = fraction_word, double = fraction_word, bigDecimal = fraction_word,
  document = core.json.encode,
}

---Returns a value of the data as a word.
---@param value any
---@param kind string the type of its shape
---@return string? word nil if the value has another type
function M.word(value, kind)
  local of_data = M.of_data[kind]
  local given = of_data and of_data(value)
  if given ~= nil then return (writers[kind] or tostring)(given) end
end

---@param value any of the data
---@param member bide.ModelMember
---@param target bide.ModelShape
---@param format string of timestamps that name none
---@return string
function M.write(value, member, target, format)
  local word
  if target.type == "timestamp" then
    local seconds = time.read(value)
    word = seconds and time.write(seconds, traits.of(member, target, traits.timestamp_format) or format)
  else
    word = M.word(value, target.type)
  end
  return word or M.fail(member.name, target.type, value)
end

local truths = { ["true"] = true, ["false"] = false, ["1"] = true, ["0"] = false }

local function read_integer(word)
  return word:find "^[+-]?%d+$" and math.tointeger(tonumber(word)) or nil
end

local function read_whole(word)
  return word:find "^[+-]?%d+$" and (math.tointeger(tonumber(word)) or tonumber(word)) or nil
end

local function read_fraction(word)
  return words[word] and word or word:find "^[+-]?%.?%d[%d.]*[eE]?[+-]?%d*$" and fraction(tonumber(word)) or nil
end

local readers = {
  string = text, enum = text, timestamp = time.read, document = text, blob = encoded,
  boolean = function(word) return truths[word:lower()] end,
  byte = read_integer, short = read_integer, integer = read_integer, long = read_integer, intEnum = read_integer,
  bigInteger = read_whole, float = read_fraction, double = read_fraction, bigDecimal = read_fraction,
}

---@param word string of the wire
---@param target bide.ModelShape
---@return any value of the data; nil if the word is not such a value
function M.read(word, target)
  local reader = readers[target.type]
  if reader then return reader(word) end
end

---Returns the number that a word is.
---@param word any
---@return number|string|nil value of the data; nil if it is not a number
function M.read_number(word)
  if type(word) == "string" then return read_whole(word) or read_fraction(word) end
  return fraction(word)
end

---Returns the bytes of a blob.
---@param value string Base64
---@param name string of its member
---@return string
function M.bytes(value, name)
  local bytes = type(value) == "string" and require("bide.base64").decode(value)
  return bytes or error({ ("%s: expected Base64, the form of a blob"):format(name) }, 0)
end

return M
