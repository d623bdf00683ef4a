---The types of declared inputs: the conversion of texts from the command line, the test of JSON values, and the words for
---mistakes. A mistake says what was expected; the caller adds what was found.

local core = require "bide.core"
local duration = require "bide.text.duration"
local script_limits = require "bide.task.script_limits"
local shown = require "bide.text.shown"
local tables = require "bide.text.tables"

local json = core.json

local M = {}

---A value that did not fit.
---@class bide.InputProblem
---@field expected string
---@field found any the value, or the element of a list
---@field path string of the element within the value, "[2]"; "" is the value itself
---@field names? string[] what could have been meant
---@field words? string what was found, in place of the value
---@field meant? string the JSON that may have been meant, which KEY:=JSON gives
---@field form? string what may have been meant: JSON where JSON was given, or a duration

---@param expected string
---@param found any
---@param names? string[]
---@return nil
---@return bide.InputProblem
local function refuse(expected, found, names)
  return nil, { expected = expected, found = found, path = "", names = names }
end

-- ---- single values -------------------------------------------------------------------------

local function itself(value) return value end

---Reads a number as JSON and people write it: without hexadecimal digits, blanks or infinity.
local function number_of_text(text)
  local number = text:find "^[+-]?%d[%d.]*[eE]?[+-]?%d*$" and tonumber(text)
  return number and number - number == 0 and number or nil
end

local function number_of_value(value)
  return math.type(value) and value or nil
end

---Reads a duration. Whole seconds become an integer.
local function seconds_of_text(text)
  local milliseconds = duration.parse_or_zero(text)
  return milliseconds and (milliseconds % 1000 == 0 and milliseconds // 1000 or duration.seconds(milliseconds))
end

local function seconds_of_value(value)
  if type(value) == "string" then return seconds_of_text(value) end
  return math.type(value) and value >= 0 and value * 1000.0 <= duration.LONGEST and value or nil
end

local function bytes_of_text(text)
  return (script_limits.read_size(text))
end

local function bytes_of_value(value)
  local bytes = math.type(value) and math.tointeger(value)
  if bytes then value = ("%d"):format(bytes) end
  return type(value) == "string" and bytes_of_text(value) or nil
end

local function of_type(name)
  return function(value)
    if type(value) == name then return value end
  end
end

local function boolean_of_text(text)
  if text == "true" then return true end
  if text == "false" then return false end
end

---Reports whether a value is an object. An empty table may be one, although documents mark it as an array.
local function is_object(value)
  return type(value) == "table" and (not json.is_array(value) or #value == 0)
end

local function object_of_text(text)
  local value = json.decode(text, { unique = true })
  return tables.is_object(value) and value or nil
end

---Returns what a path has to be, if it names nothing: a shell would have read it otherwise, but no shell reads a list of waits.
---A path that begins with ./ is taken as it is.
---@param path string
---@return string? expected
local function path_expected(path)
  if path:find "^%./" then return nil end
  if path:find "^%s" or path:find "%s$" then
    return "a path without blanks and line breaks around it (./ before it takes them)"
  end
  if path:find "^([\"']).*%1$" then return "a path without quotes, which no shell has removed (./ before it takes them)" end
  if path:find "^~" then return "a path without a ~ that no shell has expanded (./~ is that name)" end
  if path:find "^%$[%a_{(]" or path:find "%${[%a_][%w_]*}" then
    return "a path without a $ that no shell has expanded (./$ is that name)"
  end
  return path:find "^%a[%w+.-]*://" and "a path, which is no URL" or nil
end

---@class bide.InputType
---@field expected string the words for a value
---@field of_text fun(text: string): any nil if the text is not one
---@field of_value fun(value: any): any nil if the value of JSON is not one
---@field is_ordered? boolean whether it may have a minimum and a maximum
---@field is_positive? boolean whether it is above 0 unless a minimum says otherwise
---@field is_text? boolean whether it may have a pattern
---@field expects? fun(value: any): string? the words for what a value has to be, if it is not
---@field is_list? boolean whether it may declare its elements
---@field may_be_empty? boolean whether an empty text can mean something
---@field type? string Lua's type, if each value of it is one

---@type table<string, bide.InputType>
M.types = {
  string = { expected = "a string", of_text = itself, of_value = of_type "string", is_text = true, may_be_empty = true,
    type = "string",
  },
  path = {
    expected = "a path", of_text = itself, of_value = of_type "string", is_text = true, may_be_empty = true,
    expects = path_expected,
  },
  integer = {
    expected = "an integer", is_ordered = true,
    of_text = function(text) return math.tointeger(number_of_text(text)) end,
    of_value = function(value) return math.type(value) and math.tointeger(value) end,
  },
  number = { expected = "a number", of_text = number_of_text, of_value = number_of_value, is_ordered = true },
  boolean = { expected = "true or false", of_text = boolean_of_text, of_value = of_type "boolean", type = "boolean" },
  duration = {
    expected = "a duration such as 5s, 1m30s or 250ms, or a number of seconds", is_ordered = true, is_positive = true,
    of_text = seconds_of_text, of_value = seconds_of_value,
  },
  size = {
    expected = "a size such as 64M, 1G or 500K, or a number of bytes", is_ordered = true,
    of_text = bytes_of_text, of_value = bytes_of_value,
  },
  object = {
    expected = "an object (KEY:=JSON)", of_text = object_of_text,
    of_value = function(value) return is_object(value) and value or nil end,
  },
  any = { expected = "a value", of_text = itself, of_value = itself, may_be_empty = true },
  list = { expected = "a list", of_text = itself, of_value = itself, is_list = true, may_be_empty = true }, -- read below
}

---@alias bide.InputTypeName "string"|"path"|"integer"|"number"|"boolean"|"duration"|"size"|"list"|"object"|"any"

---The names of the types, in the order in which messages list them.
M.names = { "string", "path", "integer", "number", "boolean", "duration", "size", "list", "object", "any" }

-- ---- what a member demands beyond its type -----------------------------------------------------

local function bounds(member)
  if member.minimum and member.maximum then return ("%s to %s"):format(member.minimum, member.maximum) end
  return member.minimum and ("at least %s"):format(member.minimum) or ("at most %s"):format(member.maximum)
end

---@return string? expected
local function check_bounds(member, value)
  local kind = M.types[member.type]
  if kind.is_positive and not member.minimum and not member.is_bound and value <= 0 then return kind.expected .. ", above 0" end
  if member.minimum and value < member.minimum or member.maximum and value > member.maximum then return bounds(member) end
end

---@return string? expected
---@return string[]? names of what could have been meant
local function check_choice(member, value)
  if tables.has(member.values, value) then return nil end
  local words = tables.mapped(member.values, function(choice) return shown.line(tostring(choice)) end)
  return "one of " .. table.concat(words, ", "), words
end

---Reports whether a text matches a pattern, within the limits of scripts, since the recipe may be untrusted.
local function matches(text, pattern)
  local ok, found, from = script_limits.guard(pcall, core.pattern.find, text, pattern)
  return ok and found and from ~= nil
end

---Returns Lua's type of what a member may be, if it may have each value of that type.
---@param member bide.InputMember
---@return string?
function M.type_of_all(member)
  return not member.pattern and not member.values and M.types[member.type].type or nil
end

---@return string? expected
---@return string[]? names
local function check_further(member, value)
  local kind = M.types[member.type]
  if kind.is_ordered then
    local expected = check_bounds(member, value)
    if expected then return expected end
  end
  if member.pattern and not matches(value, member.pattern) then
    return member.expected or "a string that matches the Lua pattern " .. shown.quote(member.pattern)
  end
  local expected = kind.expects and kind.expects(value)
  if expected then return expected end
  if member.values then return check_choice(member, value) end
end

local function type_expected(member)
  local expected = M.types[member.type].expected
  if member.minimum or member.maximum then expected = ("%s, %s"):format(expected, bounds(member)) end
  return expected
end

---@param convert fun(value: any): any
---@return any value nil if it does not fit
---@return bide.InputProblem? problem
local function read_single(member, given, convert)
  local value = convert(given)
  if value == nil then return refuse(type_expected(member), given) end
  local expected, names = check_further(member, value)
  if expected then return refuse(expected, given, names) end
  return value
end

-- ---- empty texts -------------------------------------------------------------------------------

---The words for a text with nothing in it, which mostly is that of a variable that is not set.
---@param text string
---@return string
local function describe_empty(text)
  return text == "" and "an empty text" or "blanks alone"
end

---Returns the mistake of a text of the command line with nothing in it.
---@param text string
---@param meant string? the JSON that says it on purpose
---@return bide.InputProblem?
local function refuse_empty(text, meant)
  if text:find "%S" then return nil end
  return { expected = "a text that is not empty", found = text, path = "", words = describe_empty(text), meant = meant }
end

---Returns the mistake of a text for any value, if the text has nothing in it.
---@param text string
---@return bide.InputProblem?
function M.find_empty(text)
  return refuse_empty(text, json.encode(text))
end

-- ---- lists -------------------------------------------------------------------------------------

---Splits a text at its commas, without the blanks around them; `\,` is a comma.
---@return string[]
local function cut(text)
  local list, pieces = json.array {}, {}
  if not text:find "%S" then return list end
  for piece in (text .. ","):gmatch "([^,]*)," do
    pieces[#pieces + 1] = piece:gsub("\\$", "")
    if piece:sub(-1) ~= "\\" then
      list[#list + 1], pieces = table.concat(pieces, ","):match "^%s*(.-)%s*$", {}
    end
  end
  if #pieces > 0 then list[#list + 1] = table.concat(pieces, ",") .. "\\" end -- it ended with a backslash
  return list
end

---Returns the mistake of a text that is no list of texts with commas between them.
---@param member bide.InputMember
---@param text string
---@return bide.InputProblem?
local function refuse_list(member, text)
  if not member.empty and not text:find "%S" then return refuse_empty(text, "[]") end
  if not text:find "^%s*%[" then return nil end
  local value = json.decode(text)
  return { expected = "texts with commas between them", found = text, path = "",
    meant = json.is_array(value) and text or json.encode(json.array { text }) }
end

---Reports whether a value that was read is written otherwise than as it was given.
---@return boolean
function M.has_changed(value, given)
  return not rawequal(value, given) or math.type(value) ~= math.type(given)
end

---The elements of a list that does not declare them.
local any_element = { type = "any" }

---Reads the elements of a list. Where none changes, it is the list that was given: a long one is not copied for nothing.
local function read_elements(member, given, read)
  local list, of = given, member.of or any_element
  for position, element in ipairs(given) do
    local value, problem = read(of, element)
    if problem then
      problem.path, problem.meant = ("[%d]%s"):format(position, problem.path), nil
      return nil, problem
    end
    if list == given and M.has_changed(value, element) then list = json.array(tables.joined(given)) end
    if list ~= given then list[position] = value end
  end
  return list
end

---Reads a text of the command line.
---@param member bide.InputMember
---@param text string
---@return any value nil if it does not fit
---@return bide.InputProblem? problem
function M.of_text(member, text)
  if member.type == "list" then
    local problem = refuse_list(member, text)
    if problem then return nil, problem end
    return read_elements(member, cut(text), M.of_text)
  end
  local problem = M.types[member.type].of_text == itself and not member.empty and M.find_empty(text)
  if problem then return nil, problem end
  local value
  value, problem = read_single(member, text, M.types[member.type].of_text)
  if problem and member.type == "duration" then problem.form = require "bide.text.duration_hint"(text) end
  return value, problem
end

---Returns the list that was meant by a single value, or by a list of numbers where texts belong, as JSON; nil if there is none.
---@param member bide.InputMember
---@param given any
---@return string?
local function list_of(member, given)
  local of, list = member.of or { type = "any" }, json.array {}
  for position, element in ipairs(json.is_array(given) and given or { given }) do
    local value = M.of_value(of, element)
    if value == nil and math.type(element) then
      value = M.of_text(of, json.encode(math.tointeger(element) or element))
    end
    if value == nil then return nil end
    list[position] = value
  end
  return #list > 0 and json.encode(list) or nil
end

---Reads a value of a JSON document.
---@param member bide.InputMember
---@param given any
---@return any value nil if it does not fit
---@return bide.InputProblem? problem
function M.of_value(member, given)
  if member.type == "list" then
    local list, problem
    if json.is_array(given) then
      list, problem = read_elements(member, given, M.of_value)
    else
      list, problem = refuse("a list", given)
    end
    if problem then problem.form = list_of(member, given) end
    return list, problem
  end
  return read_single(member, given, M.types[member.type].of_value)
end

return M
