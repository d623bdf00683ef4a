---Checks values that scripts and people give, and words what is wrong with them. No other module words it, so that all
---of bide says it in one way.
---
---A kind of value is a table { WORDS, TEST }: `M.kinds` has the usual ones, `M.one_of` makes one of names. A mistake is a
---text that says what was expected, what was found, and the nearest name. It does not say where; the caller puts the
---name of the member, the option or the function before it, and decides whether to raise it:
---
---    option.mistake(value, kinds.seconds)     expected a number of seconds above 0, found "soon"
---    option.mistake(value, option.one_of(…))  expected "success" or "failure", found "sucess", did you mean "success"?
---    option.check(given, kind_of)             timeout: expected a number of seconds above 0, found "soon"
---                                             timout: unknown option, did you mean "timeout"?
---    option.expected("a list", value)         expected a list, found 5
---    option.unknown("input", name, names)     unknown input, expected one of host, port

local core = require "bide.core"
local secret = require "bide.text.secret"
local shown = require "bide.text.shown"
local tables = require "bide.text.tables"

local nearest = core.names.nearest

local M = {}

local floor = math.floor

---The most bytes of a string that are shown.
local LONGEST = 40

---@class bide.OptionKind
---@field [1] string what a value has to be, in words
---@field [2] fun(value: any): any whether a value is that
---@field names? string[] the values, if they are names

local function is_count(value, least, bound)
  return math.type(value) and value >= least and value < bound and floor(value) == value
end

local function of_type(name)
  return { "a " .. name, function(value) return type(value) == name end }
end

---@type table<string, bide.OptionKind>
M.kinds = {
  text = of_type "string", table = of_type "table", flag = of_type "boolean", callable = of_type "function",
  any = { "a value", function() return true end },
  count = { "a whole number, 0 or more", function(value) return is_count(value, 0, 2 ^ 31) end },
  size = { "a whole number above 0", function(value) return is_count(value, 1, 2 ^ 53) end },
  integer = { "a whole number", function(value) return math.type(value) and math.tointeger(value) ~= nil end },
  number = of_type "number",
  seconds = { "a number of seconds above 0", function(value) return type(value) == "number" and value > 0 end },
  delay = { "a number of seconds, 0 or more", function(value) return type(value) == "number" and value >= 0 end },
  status = { "an HTTP status, 100 to 999", function(value) return is_count(value, 100, 1000) end },
  identifier = { "a string that is not empty", function(value) return type(value) == "string" and value:find "%S" end },
  number_or_function = { "a number or a function", function(value)
    return type(value) == "number" or type(value) == "function"
  end },
}

---Returns a set of the names in a text.
---@param names string with blanks between them
---@return table<string, true>
function M.set(names)
  local members = {}
  for name in names:gmatch("%S+") do members[name] = true end
  return members
end

---Returns the start of a string that is too long for a message, without a part of a character at its end.
local function cut(text)
  if #text <= LONGEST then return text end
  text = secret.before_cut(text)
  if #text <= LONGEST then return text end
  return text:sub(1, LONGEST):gsub("[\xC0-\xFF][\x80-\xBF]*$", "") .. "…"
end

---Returns a value as a message shows it: "soon", 5, true, null, nothing, a list, a table, a function.
---@param value any
---@return string
function M.describe(value)
  local name = type(value)
  if value == nil then return "nothing" end
  if value == core.json.null then return "null" end
  if name == "string" then return shown.quote(cut(value)) end
  if value ~= value then return "nan" end
  if math.type(value) == "float" then return ("%.14g"):format(value) end
  if name == "number" or name == "boolean" then return tostring(value) end
  return name == "table" and core.json.is_array(value) and "a list" or "a " .. name
end

local function did_you_mean(name, names)
  local near = type(name) == "string" and nearest(name, names)
  return near and (", did you mean %s?"):format(shown.quote(near))
end

---Returns the mistake of a value that is not what it has to be.
---@param words string what it has to be
---@param value any
---@param names? string[] what it could be, if those are names
---@return string mistake
function M.expected(words, value, names)
  return ("expected %s, found %s%s"):format(words, M.describe(value), names and did_you_mean(value, names) or "")
end

---Returns the mistake of a name that is not known.
---@param noun string what it names: "option", "member", "input"
---@param name any
---@param names string[] those that are known
---@return string mistake
function M.unknown(noun, name, names)
  return "unknown " .. noun .. (did_you_mean(name, names) or ", expected one of " .. table.concat(names, ", "))
end

---Returns names as a message shows a choice of them: `"success", "failure" or "retry"`.
local function choice(names)
  local quoted = tables.mapped(names, shown.quote)
  return #quoted < 2 and quoted[1] or table.concat(quoted, ", ", 1, #quoted - 1) .. " or " .. quoted[#quoted]
end

---Returns the kind of a column that may be NULL as well.
---@param kind bide.OptionKind
---@return bide.OptionKind
function M.or_null(kind)
  return { kind[1] .. ", or NULL", function(value) return value == nil or kind[2](value) end }
end

---Returns the kind of a value that is one of some names.
---@param names string[]
---@return bide.OptionKind
function M.one_of(names)
  local members = tables.set(names)
  return { choice(names), function(value) return members[value] end, names = names }
end

---Returns what is wrong with a value; nil if it is of its kind.
---@param value any
---@param kind bide.OptionKind
---@return string? mistake
function M.mistake(value, kind)
  if not kind[2](value) then return M.expected(kind[1], value, kind.names) end
end

---Returns the names of a table, sorted, as texts.
---@param members table
---@return string[]
function M.sorted_names(members)
  local names = {}
  for name in pairs(members) do names[#names + 1] = tostring(name) end
  table.sort(names)
  return names
end

---Returns the names of a table of a script as they are, strings or not, sorted by their texts.
---@param members table
---@return any[]
function M.sorted_keys(members)
  local keys, text_of = {}, {}
  for key in pairs(members) do keys[#keys + 1], text_of[key] = key, tostring(key) end
  table.sort(keys, function(a, b) return text_of[a] < text_of[b] end)
  return keys
end

---Raises an error unless a table has a row for each name that the core has, and no other: a fault of bide, which is found
---when the module with the table is loaded.
---@param noun string what the names are of
---@param rows table<string, any>
---@param names string[] of the core
function M.check_rows(noun, rows, names)
  local known, lacking = {}, nil
  for _, name in ipairs(names) do
    known[name], lacking = true, lacking or rows[name] == nil and name
  end
  for name in pairs(rows) do
    if not known[name] then
      local near = core.names.nearest(name, names)
      error(("the core of bide has no %s %s%s"):format(noun, name, near and ("; did you mean %s?"):format(near) or ""), 2)
    end
  end
  if lacking then error(("bide has no row for the %s %s"):format(noun, lacking), 2) end
end

---Returns what is wrong with an option; of a secret it shows no value.
local function mistake_of(name, value, kind)
  local mistake = M.mistake(value, kind)
  return mistake and core.secret.kind(name) and ("expected %s, found [redacted]"):format(kind[1]) or mistake
end

---Returns the first mistake in a table of options, after the name of the option; nil if all are right.
---@param given any
---@param kind_of table<string, bide.OptionKind> the kind of every option
---@param required? string[] options that have to be there
---@return string? mistake
function M.check(given, kind_of, required)
  if type(given) ~= "table" then return "options: " .. M.expected("a table", given) end
  for name, value in pairs(given) do
    local kind = kind_of[name]
    local mistake
    if kind then mistake = mistake_of(name, value, kind) else mistake = M.unknown("option", name, M.sorted_names(kind_of)) end
    if mistake then return ("%s: %s"):format(shown.line(tostring(name)), mistake) end
  end
  for _, name in ipairs(required or {}) do
    if given[name] == nil then return ("%s: %s"):format(name, M.expected(kind_of[name][1], nil)) end
  end
end

return M
