---Smithy's comparators: the type that their path must have, and why one cannot match a value that has another type, or only
---looks like the expected one: `{"code": 200}` never equals the string "200".

local core = require "bide.core"
local option = require "bide.text.option"
local shown = require "bide.text.shown"

local M = {}

---The longest text with which a comparison is suggested.
local LONGEST_TEXT = 60

local is_list = core.json.is_array

---Reports whether a string and a text differ only in case, or in blanks around them.
local function looks_equal(found, text)
  local function plain(value) return value:lower():match "^%s*(.-)%s*$" end
  return found ~= text and plain(found) == plain(text)
end

local function string_equals(found, expected)
  if type(found) == "string" and not looks_equal(found, expected) then return nil end
  return "the string " .. shown.quote(expected)
end

local function boolean_equals(found, expected)
  return type(found) ~= "boolean" and "the boolean " .. expected or nil
end

---Reports whether a list has elements, and no string among them.
local function has_no_string(found)
  for _, element in ipairs(found) do
    if type(element) == "string" then return false end
  end
  return #found > 0
end

local function of_list(words)
  return function(found, expected)
    if is_list(found) and not has_no_string(found) then return nil end
    return words .. shown.quote(expected)
  end
end

---@class bide.Comparator
---@field path "string"|"boolean"|"array" the static type that its path must have
---@field wanted fun(found: any, expected: string): string? the words for what it requires; nil where it may match another value

---The name of a comparator of Smithy.
---@alias bide.ComparatorName "stringEquals"|"booleanEquals"|"allStringEquals"|"anyStringEquals"

---A row for each comparator of the core.
---@type table<string, bide.Comparator>
M.rows = {
  stringEquals = { path = "string", wanted = string_equals },
  booleanEquals = { path = "boolean", wanted = boolean_equals },
  allStringEquals = { path = "array", wanted = of_list "a list of strings that all are " },
  anyStringEquals = { path = "array", wanted = of_list "a list with the string " },
}
option.check_rows("comparator", M.rows, core.wait.names().comparators)

---Returns the words for what a path matcher requires; nil if the value is null, or just another value of the right type.
---@param matcher bide.PathMatcher
---@param found any
---@return string?
function M.wanted_by_path(matcher, found)
  if found == core.json.null then return nil end
  return M.rows[matcher.comparator].wanted(found, matcher.expected)
end

---In `state==done`, done is the name of a member; a user may have meant the text.
local function wanted_by_equality(path, found)
  local left, right = path:match "^%s*([%w_.]+)%s*==%s*\"?([%a_][%w_]*)\"?%s*$"
  if not left or found ~= false then return nil end
  return ("the members %s and %s to be equal, not the text '%s'"):format(left, right, right)
end

---Returns the words for what a matcher with a text requires; nil as for a path matcher.
---@param matcher bide.ExpectMatcher
---@param found any
---@return string?
function M.wanted_by_text(matcher, found)
  if not matcher.text then return wanted_by_equality(matcher.path, found) end
  if found == core.json.null then return nil end
  local unquoted = matcher.text:match "^([\"'`]).*%1$" and matcher.text:sub(2, -2)
  if unquoted == found or unquoted == tostring(found) then
    return ("the text %s with its quotes, not %s"):format(matcher.text, unquoted)
  end
  local may_match = type(found) ~= "table" and not (type(found) == "string" and looks_equal(found, matcher.text))
  return not may_match and "the text " .. shown.quote(matcher.text) or nil
end

local function has_a_no(list)
  for _, item in ipairs(list) do
    if item == false or item == core.json.null then return true end
  end
  return false
end

local ALL = "a list that is not empty is a yes, whatever is in it; LIST && !(LIST[?!MEMBER]) is one if all of it is"

---Returns how to write what was probably meant, where a condition gives a text or a number, which is not a yes: ``write
---status=DOWN, or status != `null` for its presence``; or a list with false or null in it, which is one.
---@param path string
---@param found any
---@param equals string the format of a comparison with a text, by path and text
---@param is_there string that of its presence, by path
---@return string?
function M.advice(path, found, equals, is_there)
  if is_list(found) then return has_a_no(found) and ALL or nil end
  if type(found) ~= "string" and type(found) ~= "number" then return nil end
  local text = type(found) == "string" and found or core.json.encode(found)
  local operand = path:find '^[%w_.%[%]"]+$' and path or ("(%s)"):format(path)
  local presence = ("%s for its presence"):format(is_there:format(operand))
  if #text > LONGEST_TEXT then return "write " .. presence end
  return ("write %s, or %s"):format(equals:format(path, text), presence)
end

---Returns a value with its type: the number 200, the string "up", the list [1].
---@param found any
---@param text string its JSON, shortened
---@return string
function M.describe(found, text)
  if found == core.json.null then return "null" end
  if type(found) == "table" then return (is_list(found) and "the list " or "the object ") .. text end
  return ("the %s %s"):format(type(found), text)
end

return M
