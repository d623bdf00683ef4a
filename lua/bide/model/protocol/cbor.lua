---CBOR (RFC 8949), as far as data of services needs it. Every error is raised as { message }, with the place in the bytes.
---
---    maps, arrays, texts, booleans, null   as in JSON: tables, marked arrays, strings, json.null
---    integers                              integers; beyond 64 bits, with a sign, floats
---    floats                                floats; NaN and the infinities too
---    byte strings                          cbor.bytes(text)
---    tag 1, a time                         cbor.tagged(1, seconds)
---    tags 2, 3 and 4, large numbers        numbers
---    other tags, and tags of other values  what they tag

local yield = require "bide.task.yield"
local core = require "bide.core"
local sorted_keys = require("bide.text.option").sorted_names

local json = core.json

local M = {}

---The deepest that values may be nested.
local DEEPEST = 512

---As many values are read between two steps of the loop.
local VALUES_OF_A_STEP = 1024

---@class bide.protocol.Bytes
---@field bytes string
local Bytes = { is_scalar = true }

---@class bide.protocol.Tagged
---@field tag integer
---@field value any
local Tagged = { is_scalar = true }

---A number of 32 bits.
---@class bide.protocol.Single
---@field number number
local Single = { is_scalar = true }

---@param text string
---@return bide.protocol.Bytes
function M.bytes(text)
  return setmetatable({ bytes = text }, Bytes)
end

---@param tag integer
---@param value any
---@return bide.protocol.Tagged
function M.tagged(tag, value)
  return setmetatable({ tag = tag, value = value }, Tagged)
end

---@param number number
---@return bide.protocol.Single
function M.single(number)
  return setmetatable({ number = number }, Single)
end

---@param value any
---@return string? bytes nil if the value is no byte string
function M.bytes_of(value)
  return getmetatable(value) == Bytes and value.bytes or nil
end

---@param value any
---@return any what is tagged; nil if the value has no such tag
function M.untagged(value, tag)
  if getmetatable(value) == Tagged and value.tag == tag then return value.value end
end

-- ---- reading --------------------------------------------------------------------------------

---@class bide.protocol.CborReader
---@field text string
---@field at integer the position of the next byte
---@field depth integer
---@field count integer of values since the last step of the loop
local Reader = {}
Reader.__index = Reader

function Reader:fail(message)
  error({ ("the answer is not CBOR: byte %d: %s"):format(self.at, message) }, 0)
end

---@param size number of bytes, which may be any that the wire says
function Reader:take(size)
  local left = #self.text - self.at + 1
  if size > left then self:fail(("expected %.0f more bytes, found %d"):format(size, left)) end
  local taken = self.text:sub(self.at, self.at + size - 1)
  self.at = self.at + size
  return taken
end

---@return integer the next byte
function Reader:byte()
  local byte = self.text:byte(self.at)
  if not byte then self:fail "expected 1 more bytes, found 0" end
  self.at = self.at + 1
  return byte
end

local sizes = { [24] = ">I1", [25] = ">I2", [26] = ">I4", [27] = ">I8" }

---Reads the number that follows the first byte of a value: a length, a tag, or an integer.
---@param info integer the lower five bits of the first byte
---@return number a float where it is beyond the integers of Lua
function Reader:argument(info)
  if info < 24 then return info end
  local form = sizes[info]
  if not form then self:fail(("expected a length, found the reserved form %d"):format(info)) end
  local value = form:unpack(self:take(1 << info - 24))
  return value >= 0 and value or value + 0x1p64
end

local INDEFINITE, BREAK = 31, 0xFF

---Takes the byte that ends a value without a length, if it is next.
function Reader:is_at_break()
  if self.text:byte(self.at) ~= BREAK then return false end
  self.at = self.at + 1
  return true
end

---Returns how many parts an array or a map has; infinite for one that a break ends.
---@return number
function Reader:parts(info)
  if info == INDEFINITE then return math.huge end
  local count = self:argument(info)
  if count > #self.text - self.at + 1 then self:fail(("expected %.0f values, found fewer bytes"):format(count)) end
  return count
end

---@param left number of parts
function Reader:has_part(left)
  if left == math.huge then return not self:is_at_break() end
  return left > 0
end

local function read_unsigned(reader, info)
  return reader:argument(info)
end

local function read_negative(reader, info)
  return -1 - reader:argument(info)
end

---Reads a string, of one piece or of several that each have a length.
function Reader:string(info, major)
  if info ~= INDEFINITE then return self:take(self:argument(info)) end
  local pieces = {}
  while not self:is_at_break() do
    local first = self:byte()
    if first >> 5 ~= major or first & 31 == INDEFINITE then self:fail "expected a piece of the string, found another value" end
    pieces[#pieces + 1] = self:take(self:argument(first & 31))
  end
  return table.concat(pieces)
end

local function read_bytes(reader, info)
  return M.bytes(reader:string(info, 2))
end

local function read_text(reader, info)
  local text = reader:string(info, 3)
  if not utf8.len(text) then reader:fail "expected a text in UTF-8, found other bytes" end
  return text
end

local function read_array(reader, info)
  local list, left, index = json.array {}, reader:parts(info), 0
  while reader:has_part(left) do
    index, left = index + 1, left - 1
    list[index] = reader:value()
  end
  return list
end

local function read_map(reader, info)
  local map, left = {}, reader:parts(info)
  while reader:has_part(left) do
    left = left - 1
    local key = reader:value()
    if type(key) ~= "string" then reader:fail "expected a text as the key of a map, found another value" end
    if map[key] ~= nil then reader:fail(("expected the keys of a map to differ, found %q twice"):format(key)) end
    map[key] = reader:value()
  end
  return map
end

---The most bytes of a number. A double has no larger ones.
local LONGEST_NUMBER = 128

---@return number? the one that the bytes of a tag 2 or 3 are
local function large_number(bytes)
  if #bytes > LONGEST_NUMBER then return nil end
  local number = 0
  for position = 1, #bytes do number = number * (#bytes > 7 and 256.0 or 256) + bytes:byte(position) end
  return number
end

local function is_pair_of_numbers(value)
  return json.is_array(value) and #value == 2 and type(value[1]) == "number" and type(value[2]) == "number"
end

---The meanings of tags; nil or false for a value that cannot have the tag. A tag without a row means nothing here.
local meanings = {
  [1] = function(value) return type(value) == "number" and M.tagged(1, value) end,
  [2] = function(value) return M.bytes_of(value) and large_number(value.bytes) end,
  [3] = function(value)
    local number = M.bytes_of(value) and large_number(value.bytes)
    return number and -1 - number
  end,
  [4] = function(value)
    return is_pair_of_numbers(value) and tonumber(("%.0fe%.0f"):format(value[2], value[1]))
  end,
}

local function read_tag(reader, info)
  local meaning, value = meanings[reader:argument(info)], reader:value()
  return meaning and meaning(value) or value
end

---Returns the value of a float of 16 bits (RFC 8949, appendix D).
local function half(bits)
  local exponent, fraction = bits >> 10 & 31, bits & 1023
  local value
  if exponent == 0 then
    value = fraction * 0x1p-24
  elseif exponent == 31 then
    value = fraction == 0 and math.huge or 0 / 0
  else
    value = (1024 + fraction) * 2.0 ^ (exponent - 25)
  end
  return bits & 0x8000 ~= 0 and -value or value
end

local simple = { [20] = false, [21] = true, [22] = json.null, [23] = json.null }

local function read_simple(reader, info)
  if simple[info] ~= nil then return simple[info] end
  if info == 25 then return half((">I2"):unpack(reader:take(2))) end
  if info == 26 then return ((">f"):unpack(reader:take(4))) end
  if info == 27 then return ((">d"):unpack(reader:take(8))) end
  reader:fail(("expected a value, found the simple value %d"):format(info))
end

local readers = { [0] = read_unsigned, read_negative, read_bytes, read_text, read_array, read_map, read_tag, read_simple }

function Reader:value()
  self.count = self.count + 1
  if self.count % VALUES_OF_A_STEP == 0 then yield() end
  self.depth = self.depth + 1
  if self.depth > DEEPEST then self:fail(("expected at most %d levels of values, found more"):format(DEEPEST)) end
  local first = self:byte()
  local value = readers[first >> 5](self, first & 31)
  self.depth = self.depth - 1
  return value
end

---Reads one value, which is all of the bytes.
---@param text string
---@return any value
function M.decode(text)
  local reader = setmetatable({ text = text, at = 1, depth = 0, count = 0 }, Reader)
  local value = reader:value()
  if reader.at <= #text then reader:fail "expected the end, found more bytes" end
  return value
end

-- ---- writing --------------------------------------------------------------------------------

---Returns the first bytes of a value: its kind, and a length, a tag or an integer.
local function head(major, argument)
  if argument < 24 and argument >= 0 then return string.char(major << 5 | argument) end
  for info = 24, 27 do
    local bits = 8 << info - 24
    if bits == 64 or argument >= 0 and argument < 1 << bits then
      return string.char(major << 5 | info) .. sizes[info]:pack(argument)
    end
  end
end

local write

---@param parts string[]
local function write_integer(parts, value)
  parts[#parts + 1] = value >= 0 and head(0, value) or head(1, -1 - value)
end

local function write_array(parts, value)
  parts[#parts + 1] = head(4, #value)
  for _, one in ipairs(value) do write(parts, one) end
end

local function write_map(parts, value)
  local keys = sorted_keys(value)
  parts[#parts + 1] = head(5, #keys)
  for _, key in ipairs(keys) do
    write(parts, key)
    write(parts, value[key])
  end
end

---The sign of a NaN depends on the processor, so that its bytes are given here.
local writers = {
  boolean = function(parts, value) parts[#parts + 1] = value and "\xF5" or "\xF4" end,
  number = function(parts, value)
    if math.type(value) == "integer" then return write_integer(parts, value) end
    parts[#parts + 1] = "\xFB" .. (value == value and (">d"):pack(value) or "\x7F\xF8\0\0\0\0\0\0")
  end,
  string = function(parts, value) parts[#parts + 1] = head(3, #value) .. value end,
  table = function(parts, value)
    if json.is_array(value) then return write_array(parts, value) end
    return write_map(parts, value)
  end,
  userdata = function(parts) parts[#parts + 1] = "\xF6" end,
  [Bytes] = function(parts, value) parts[#parts + 1] = head(2, #value.bytes) .. value.bytes end,
  [Single] = function(parts, value)
    local number = value.number
    parts[#parts + 1] = "\xFA" .. (number == number and (">f"):pack(number) or "\x7F\xC0\0\0")
  end,
  [Tagged] = function(parts, value)
    parts[#parts + 1] = head(6, value.tag)
    write(parts, value.value)
  end,
}

function write(parts, value)
  local writer = writers[type(value) == "table" and getmetatable(value)] or writers[type(value)]
  writer(parts, value)
end

---Returns a whole number for M.encode: an integer, or the tag 2 or 3 of a larger one.
---@param value number
---@return integer|bide.protocol.Tagged
function M.whole(value)
  local integer = math.tointeger(value)
  if integer then return integer end
  local bytes, rest = {}, math.abs(value) -- so large that -1 changes nothing
  while rest > 0 do
    table.insert(bytes, 1, string.char(math.tointeger(rest % 256)))
    rest = rest // 256
  end
  return M.tagged(value < 0 and 3 or 2, M.bytes(table.concat(bytes)))
end

---Returns a number for M.encode as a tag 4, with the digits that it has in the decimal system.
---@param value number
---@return bide.protocol.Tagged
function M.decimal(value)
  local sign, whole, fraction, exponent = json.encode(value):match "^(%-?)(%d+)%.?(%d*)[eE]?(.*)$"
  local shift = (math.tointeger(tonumber(exponent)) or 0) - #fraction
  return M.tagged(4, json.array { shift, M.whole(tonumber(sign .. whole .. fraction)) })
end

---@param value any with keys that are texts
---@return string
function M.encode(value)
  local parts = {}
  write(parts, value)
  return table.concat(parts)
end

return M
