---Values that are one word on the wire: in a path, a query, a header, a form or an element of XML. In the data, a blob is
---Base64 and a timestamp is a number of seconds.

local base64 = require "bide.base64"
local core = require "bide.core"
local time = require "bide.protocol.time"
local traits = require "bide.protocol.traits"

local M = {}

---Reports whether a value of an input is missing: absent, or null.
function M.is_missing(value)
  return value == nil or value == core.json.null
end

local function number_text(value)
  local integer = math.type(value) == "float" and math.tointeger(value)
  if integer then return ("%d"):format(integer) end
  return core.json.encode(value)
end

---@param value any of the data
---@param member bide.ModelMember
---@param target bide.ModelShape
---@param format string of timestamps that name none
---@return string
function M.write(value, member, target, format)
  if target.type == "timestamp" then
    local seconds = time.read(value)
    if not seconds then error({ ("%s: expected a timestamp, found %s"):format(member.name, tostring(value)) }, 0) end
    return time.write(seconds, traits.of(member, target, traits.timestamp_format) or format)
  end
  if type(value) == "number" then return number_text(value) end
  if type(value) == "table" then
    error({ ("%s: expected a %s, found %s"):format(member.name, target.type, core.json.encode(value)) }, 0)
  end
  return tostring(value)
end

local integers = { byte = true, short = true, integer = true, long = true, bigInteger = true, intEnum = true }
local fractions = { float = true, double = true, bigDecimal = true }

---@param text string of the wire
---@param target bide.ModelShape
---@return any value of the data; nil if the text is not such a value
function M.read(text, target)
  local kind = target.type
  if kind == "boolean" then return text == "true" end
  if kind == "timestamp" then return time.read(text) end
  if integers[kind] then return math.tointeger(text) or tonumber(text) end
  if fractions[kind] then return tonumber(text) or text end
  return text
end

---Returns the bytes of a blob.
---@param value string Base64
---@param name string of its member
---@return string
function M.bytes(value, name)
  local bytes = type(value) == "string" and base64.decode(value)
  return bytes or error({ ("%s: expected Base64, the form of a blob"):format(name) }, 0)
end

---Percent-encodes all but the unreserved characters (RFC 3986, 2.3).
---@param text string
---@param kept? string further characters that stay
---@return string
function M.escape(text, kept)
  return (text:gsub("[^%w%-._~" .. (kept or "") .. "]", function(byte) return ("%%%02X"):format(byte:byte()) end))
end

return M
