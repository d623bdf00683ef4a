---Keeps the digits of numbers that a model cannot hold: a number is an integer of 64 bits or a double, and what is neither
---would be written as another one.

local core = require "bide.core"
local lexer = require "bide.model.syntax.lexer"
local lpeg = require "lpeg"

local Cp, P, R, S = lpeg.Cp, lpeg.P, lpeg.R, lpeg.S
local json = core.json

---The significant digits of a decimal number and their exponent: two numbers are equal if these are.
---@param text string
---@return string
local function normal_form(text)
  local sign, whole, rest = text:match "^(-?)(%d+)(.*)$"
  local fraction, exponent = rest:match "^%.?(%d*)[eE]?([-+]?%d*)$"
  local digits = (whole .. fraction):gsub("^0+", "")
  local kept = digits:gsub("0+$", "")
  if kept == "" then return "0" end
  return ("%s%se%d"):format(sign, kept, (math.tointeger(tonumber(exponent)) or 0) - #fraction + #digits - #kept)
end

---@param text string of a number
---@return boolean
local function is_kept(text)
  if #text <= 15 and not text:find "[eE]" then return true end
  local value = json.decode(text)
  if value == nil or math.type(value) == "float" and not text:find "[.eE]" then return false end
  return normal_form(assert(json.encode(value))) == normal_form(text)
end

local digit = R "09"
local number = P "-" ^ -1 * digit ^ 1 * ("." * digit ^ 1) ^ -1 * (S "eE" * S "+-" ^ -1 * digit ^ 1) ^ -1
local quoted = '"' * (P "\\" * 1 + (1 - S '"\\')) ^ 0 * '"'
local numbers_of_json = lpeg.Ct((quoted + Cp() * number * Cp() + 1) ^ 0)

---The numbers of a text, each with its offset.
---@param given bide.ModelText
---@return { at: integer, text: string }[]
local function numbers_of(given)
  local found = {}
  if given.file:find "%.smithy$" then
    for _, token in ipairs(lexer.tokens(given.text)) do
      if token.kind == "number" then found[#found + 1] = { at = token.at, text = token.text } end
    end
    return found
  end
  local ends = numbers_of_json:match(given.text)
  for position = 1, #ends, 2 do
    found[#found + 1] = { at = ends[position], text = given.text:sub(ends[position], ends[position + 1] - 1) }
  end
  return found
end

---Returns a mark that no text has.
---@param texts bide.ModelText[]
local function mark_for(texts)
  local mark, count = "number:", 0
  local function is_taken()
    for _, given in ipairs(texts) do
      if given.text:find(mark, 1, true) then return true end
    end
  end
  while is_taken() do
    count = count + 1
    mark = ("number-%d:"):format(count)
  end
  return mark
end

---Puts strings, a mark and the digits, into the places of the numbers that would be lost.
---@param given bide.ModelText
---@param mark string
---@return bide.ModelText
---@return boolean has_some
local function held(given, mark)
  local parts, from = {}, 1
  for _, one in ipairs(numbers_of(given)) do
    if not is_kept(one.text) then
      parts[#parts + 1] = ('%s"%s%s"'):format(given.text:sub(from, one.at - 1), mark, one.text)
      from = one.at + #one.text
    end
  end
  parts[#parts + 1] = given.text:sub(from)
  return { file = given.file, text = table.concat(parts) }, from > 1
end

---Returns the texts of a model with strings for the numbers that would be lost, and what makes numbers of them in the text
---that is written.
---@param texts bide.ModelText[]
---@return bide.ModelText[]? texts nil if every number is kept
---@return fun(written: string): string restore
return function(texts)
  local copies, mark, has_some = {}, mark_for(texts), false
  for position, given in ipairs(texts) do
    local copy, has_one = held(given, mark)
    copies[position], has_some = copy, has_some or has_one
  end
  local pattern = '"' .. mark:gsub("%p", "%%%0") .. '([-+%w.]+)"'
  return has_some and copies or nil, function(written) return (written:gsub(pattern, "%1")) end
end
