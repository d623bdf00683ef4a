---A plain reader and a plain writer of JSON, written from RFC 8259 and docs/jmespath.md, to compare bide's with.

local value = require "spec.support.oracle.value"

local M = {}

---Arrays and objects in each other.
M.DEEPEST = 1000

local LARGEST = 1.7976931348623157e308

local function fail(kind)
  error({ kind = kind }, 0)
end

---@class spec.JsonReader
---@field text string
---@field at integer the next byte
---@field depth integer
---@field repairs { surrogates: integer, numbers: integer, repeated: integer }? where the reader is lenient
local Reader = {}
Reader.__index = Reader

function Reader:skip_space()
  self.at = self.text:find("[^ \t\n\r]", self.at) or #self.text + 1
end

function Reader:take(text)
  if self.text:sub(self.at, self.at + #text - 1) ~= text then return false end
  self.at = self.at + #text
  return true
end

function Reader:expect(text)
  if not self:take(text) then fail "json" end
end

-- ---- strings ------------------------------------------------------------------------

local escapes = {
  ['"'] = '"', ["\\"] = "\\", ["/"] = "/", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t",
}

---The code unit of an escape \uXXXX at a place; nil where there is none.
function Reader:code_unit(at)
  local digits = self.text:match("^\\u(%x%x%x%x)", at)
  return digits and tonumber(digits, 16)
end

---A code unit that is half of a pair whose other half is missing.
function Reader:lone_surrogate()
  if not self.repairs then fail "json" end
  self.repairs.surrogates = self.repairs.surrogates + 1
  return "\u{FFFD}"
end

function Reader:unicode_escape()
  local first = self:code_unit(self.at) or fail "json"
  self.at = self.at + 6
  if first < 0xD800 or first > 0xDFFF then return utf8.char(first) end
  local second = first <= 0xDBFF and self:code_unit(self.at)
  if not second or second < 0xDC00 or second > 0xDFFF then return self:lone_surrogate() end
  self.at = self.at + 6
  return utf8.char(0x10000 + (first - 0xD800) * 0x400 + (second - 0xDC00))
end

function Reader:escape()
  local letter = self.text:sub(self.at + 1, self.at + 1)
  if letter == "u" then return self:unicode_escape() end
  self.at = self.at + 2
  return escapes[letter] or fail "json"
end

function Reader:string()
  local parts = {}
  self:expect '"'
  while not self:take '"' do
    local plain = self.text:match('^[^%c"\\]+', self.at) or self.text:match("^\x7F", self.at)
    if plain then
      self.at = self.at + #plain
    elseif self.text:sub(self.at, self.at) ~= "\\" then
      fail "json"
    end
    parts[#parts + 1] = plain or self:escape()
  end
  return table.concat(parts)
end

-- ---- numbers ------------------------------------------------------------------------

---Where the number at a place ends; nil where there is none.
local function end_of_number(text, at)
  local after = text:match("^%-?0()", at) or text:match("^%-?[1-9]%d*()", at)
  if not after then return nil end
  local is_whole = true
  for _, part in ipairs { "^%.%d+()", "^[eE][+-]?%d+()" } do
    local following = text:match(part, after)
    is_whole, after = is_whole and not following, following or after
  end
  return after, is_whole
end

---The number that all of a text is; nil where it is none, "too large" where no double holds it.
function M.number(text)
  local after, is_whole = end_of_number(text, 1)
  if after ~= #text + 1 then return nil end
  local number = tonumber(text)
  if is_whole and math.type(number) == "float" and text:sub(1, 1) ~= "-" then
    number = value.read_unsigned(text) or number
  end
  if number == math.huge or number == -math.huge then return "too large" end
  return number
end

function Reader:number()
  local after = end_of_number(self.text, self.at) or fail "json"
  local text = self.text:sub(self.at, after - 1)
  local number = M.number(text)
  self.at = after
  if number ~= "too large" then return number end
  if not self.repairs then fail "json" end
  self.repairs.numbers = self.repairs.numbers + 1
  return text:sub(1, 1) == "-" and -LARGEST or LARGEST
end

-- ---- values -------------------------------------------------------------------------

function Reader:enter()
  self.depth = self.depth + 1
  if self.depth > M.DEEPEST then fail "limit" end
  self.at = self.at + 1
  self:skip_space()
end

function Reader:array()
  local elements = {}
  self:enter()
  if not self:take "]" then
    repeat
      elements[#elements + 1] = self:value()
    until not self:take ","
    self:expect "]"
  end
  self.depth = self.depth - 1
  return value.array(elements)
end

---Counts the members whose first value is not the last one.
function Reader:count_repeated(first, object)
  for name, one in pairs(self.repairs and first or {}) do
    if not value.equal(one, object.values[name]) then self.repairs.repeated = self.repairs.repeated + 1 end
  end
end

function Reader:object()
  local object, first = value.object(), {}
  self:enter()
  if not self:take "}" then
    repeat
      self:skip_space()
      local name = self:string()
      self:skip_space()
      self:expect ":"
      local one = self:value()
      if first[name] == nil then first[name] = one end
      value.put(object, name, one)
    until not self:take ","
    self:expect "}"
  end
  self:count_repeated(first, object)
  self.depth = self.depth - 1
  return object
end

local words = { t = { "true", true }, f = { "false", false }, n = { "null", value.null } }

---A value, with the blank space around it.
function Reader:value()
  self:skip_space()
  local first = self.text:sub(self.at, self.at)
  local result
  if first == '"' then
    result = self:string()
  elseif first == "[" then
    result = self:array()
  elseif first == "{" then
    result = self:object()
  elseif words[first] then
    self:expect(words[first][1])
    result = words[first][2]
  else
    result = self:number()
  end
  self:skip_space()
  return result
end

local function read(text, repairs)
  local reader = setmetatable({ text = text, at = 1, depth = 0, repairs = repairs }, Reader)
  local result = reader:value()
  if reader.at <= #text or not utf8.len(text) then fail "json" end
  return result
end

---@param text string
---@param repairs? { surrogates: integer, numbers: integer, repeated: integer } makes the reader lenient; counts what was repaired
---@return any value nil where the text is refused
---@return string? kind "json" or "limit"
function M.read(text, repairs)
  local ok, result = pcall(read, text, repairs)
  if ok then return result end
  return nil, result.kind or error(result, 0)
end

-- ---- writing ------------------------------------------------------------------------

local short_escapes = { ["\b"] = "\\b", ["\f"] = "\\f", ["\n"] = "\\n", ["\r"] = "\\r", ["\t"] = "\\t" }

local function write_string(text)
  text = text:gsub('["\\]', "\\%0")
  text = text:gsub("[\0-\x1F]", function(byte) return short_escapes[byte] or ("\\u%04x"):format(byte:byte()) end)
  return '"' .. text .. '"'
end

---The fewest digits that are read as the same double, and the power of ten of the first.
local function shortest(double)
  for precision = 0, 16 do
    local text = ("%." .. precision .. "e"):format(double)
    if tonumber(text) == double then
      local digits, exponent = text:match("^(.-)e(.*)$")
      return digits:gsub("%.", ""):gsub("0+$", ""), math.tointeger(tonumber(exponent))
    end
  end
end

local function write_double(double)
  if double == 0 then return 1 / double < 0 and "-0.0" or "0.0" end
  if double < 0 then return "-" .. write_double(-double) end
  local digits, exponent = shortest(double)
  if exponent < -5 or exponent > 15 then
    return digits:sub(1, 1) .. (#digits > 1 and "." .. digits:sub(2) or "") .. "e" .. exponent
  end
  if exponent < 0 then return "0." .. ("0"):rep(-exponent - 1) .. digits end
  digits = digits .. ("0"):rep(exponent + 2 - #digits)
  return digits:sub(1, exponent + 1) .. "." .. digits:sub(exponent + 2)
end

local function write_unsigned(bits)
  local tenth = (bits >> 1) // 5
  return tenth .. tostring(bits - tenth * 10)
end

---A value as compact JSON.
function M.write(given)
  local kind = value.type(given)
  if kind == "string" then return write_string(given) end
  if math.type(given) == "float" then return write_double(given) end
  if kind == "number" and type(given) == "table" then return write_unsigned(given.unsigned) end
  if kind == "null" then return "null" end
  if kind ~= "array" and kind ~= "object" then return tostring(given) end
  local parts = {}
  for position, element in ipairs(given.elements or {}) do parts[position] = M.write(element) end
  for position, name in ipairs(given.names or {}) do
    parts[position] = write_string(name) .. ":" .. M.write(given.values[name])
  end
  return kind == "array" and "[" .. table.concat(parts, ",") .. "]" or "{" .. table.concat(parts, ",") .. "}"
end

return M
