---Tokens of an expression, for the plain evaluator: { type, value, text }, where the type of a sign is the sign.

local json = require "spec.support.oracle.json"

local M = {}

local signs = {}
for sign in ("|| && == != <= >= [] [? | & < > ! [ ] { } ( ) . , : * @"):gmatch "%S+" do signs[sign] = true end

local function fail(kind)
  error({ kind = kind }, 0)
end

---What stands between quotes, and the place behind the closing one. A backslash takes the next byte along.
local function quoted(text, at)
  local quote, from = text:sub(at, at), at + 1
  at = from
  while text:sub(at, at) ~= quote do
    if at > #text then fail "syntax" end
    at = at + (text:sub(at, at) == "\\" and 2 or 1)
  end
  return text:sub(from, at - 1), at + 1
end

---\quote becomes quote; any other backslash stays.
local function undo_escapes(text, quote)
  return (text:gsub("\\(.)", function(byte) return byte == quote and quote or "\\" .. byte end))
end

local function read_literal(text)
  local value, kind = json.read(undo_escapes(text, "`"))
  if value == nil then fail(kind == "limit" and "limit" or "syntax") end
  return value
end

local function read_quoted(text, at)
  local quote = text:sub(at, at)
  local content, after = quoted(text, at)
  if quote == "'" then return { type = "literal", value = undo_escapes(content, "'") }, after end
  if quote == "`" then return { type = "literal", value = read_literal(content) }, after end
  local name = json.read('"' .. content .. '"')
  if not name then fail "syntax" end
  return { type = "quoted name", value = name }, after
end

---Beyond an int64 the nearest one.
local function saturated(digits)
  local number = tonumber(digits)
  if math.type(number) == "integer" then return number end
  return number < 0 and math.mininteger or math.maxinteger
end

---The token at a place, and the place behind it.
---@param text string
---@param at integer
---@return { type: string, value: any } token
---@return integer after
function M.next(text, at)
  at = text:find("[^ \t\n\r]", at) or #text + 1
  if at > #text then return { type = "end" }, at end
  local name, after = text:match("^([%a_][%w_]*)()", at)
  if name then return { type = "name", value = name }, after end
  local digits
  digits, after = text:match("^(%-?%d+)()", at)
  if digits then return { type = "integer", value = saturated(digits) }, after end
  if text:find("^[\"'`]", at) then return read_quoted(text, at) end
  for size = 2, 1, -1 do
    local sign = text:sub(at, at + size - 1)
    if signs[sign] then return { type = sign }, at + #sign end
  end
  fail "syntax"
end

return M
