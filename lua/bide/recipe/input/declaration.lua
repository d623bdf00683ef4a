---Declarations of inputs: what an operation takes, declared beside its `call`, and checked when its recipe is loaded.
---
---    input = {
---      url = { type = "string", required = true, positional = 1, documentation = "The address to ask." },
---      status = { type = "list", of = { type = "string" }, default = { "2xx" } },
---      bearer = { type = "string", secret = true },
---    }

local core = require "bide.core"
local option = require "bide.text.option"
local schema = require "bide.recipe.waiter.schema"
local tables = require "bide.text.tables"
local types = require "bide.recipe.input.types"

local json = core.json

local M = {}

---A declared input. A duration is a number of seconds, a size a number of bytes.
---@class bide.InputMember
---@field type bide.InputTypeName
---@field required? boolean
---@field default? any
---@field values? any[] the only values that it may have
---@field minimum? number of an integer, a number, a duration or a size
---@field maximum? number
---@field pattern? string a Lua pattern that a string must match
---@field documentation? string
---@field example? any
---@field positional? integer its place among the words of the command line, from 1; a list in the last place takes
---all words that are left
---@field origin? boolean|integer whether it is the address to which the operation connects: true for HTTP requests; the usual
---port of another server, 0 without one
---@field option? string its options on the command line: "-l --selector"
---@field empty? boolean whether an empty text on the command line means something; else it is a mistake
---@field expected? string the words for a text that `pattern` takes, in place of the pattern: "a status such as 200 or 2xx"
---@field secret? boolean whether its value is hidden wherever bide shows it
---@field asks? boolean whether it says what to wait for, so that --until adds to it and does not replace it
---@field of? bide.InputMember the elements of a list; any values by default

---The inputs of an operation, by name. `waiter.inputs` is one, with the idempotency token in it.
---@alias bide.Inputs table<string, bide.InputMember>

-- ---- reading one -----------------------------------------------------------------------

---The most lists within lists.
local MOST_NESTED = 8

local function check_any() end

local function check_position(report, path, value)
  if math.type(value) == "integer" and value >= 1 then return end
  schema.expected(report, path, "a position, from 1", value)
end

local function check_origin(report, path, value)
  if type(value) == "boolean" or math.type(value) == "integer" and value >= 0 and value <= 65535 then return end
  schema.expected(report, path, "true, or a port, 0 without one", value)
end

local function check_option(report, path, value)
  if type(value) == "string" and value:find "^%-%-?%a" and not (value .. " "):find "%-%-?%a[%w-]*[^%w%- ]" then return end
  schema.expected(report, path, "options such as \"-l --selector\"", value)
end

local function check_pattern(report, path, value)
  if type(value) ~= "string" then return schema.string(report, path, value) end
  local mistake = require("bide.recipe.input.patterns").mistake(value)
  if mistake then schema.add(report, path, mistake) end
end

---@param others table<string, table> the members that not all declarations have
local function structure(others, words)
  local members = {
    type = { check = schema.one_of(types.names), required = "a type" },
    values = { check = schema.list(check_any, "a list of values") },
    minimum = { check = check_any }, maximum = { check = check_any },
    pattern = { check = check_pattern }, expected = { check = schema.string }, documentation = { check = schema.string },
    empty = { check = schema.boolean },
    of = { check = schema.of(option.kinds.table, "a table with type") },
  }
  for name, member in pairs(others) do members[name] = member end
  return schema.structure(members, words)
end

local check_element = structure({}, "a table with type")
local check_member = structure({
  required = { check = schema.boolean }, secret = { check = schema.boolean },
  asks = { check = schema.boolean }, positional = { check = check_position },
  option = { check = check_option }, origin = { check = check_origin },
  default = { check = check_any }, example = { check = check_any },
}, "a declared input, with type")

---The members that only some types have, and the words for these types.
local reserved = {
  { "minimum", "is_ordered", "an integer, a number, a duration or a size" },
  { "maximum", "is_ordered", "an integer, a number, a duration or a size" },
  { "pattern", "is_text", "a string or a path" },
  { "expected", "is_text", "a string or a path" },
  { "origin", "is_text", "a string" },
  { "empty", "may_be_empty", "a string, a list or a value of any type" },
  { "of", "is_list", "a list" },
}

local function check_reserved(report, path, member)
  for _, row in ipairs(reserved) do
    local name, mark, owner = table.unpack(row)
    if member[name] ~= nil and not types.types[member.type][mark] then
      schema.add(report, path .. "." .. name, ("only %s has one, and this is of type %q"):format(owner, member.type))
    end
  end
end

---Reads a value in a declaration, as an input of the member is read.
local function fit(report, path, member, value)
  if value == nil then return nil end
  local document, mistake = json.document { value = value }
  if not document then return schema.add(report, path, tostring(mistake)) end
  local read, problem = types.of_value(member, document:value().value)
  if not problem then return read end
  schema.add(report, path .. problem.path, option.expected(problem.expected, problem.found, problem.names))
end

local function fit_values(report, path, member, values)
  local read = {}
  for position, value in ipairs(values) do
    read[position] = fit(report, ("%s.values[%d]"):format(path, position), member, value)
  end
  return read
end

local read_member

---Reads the members whose values depend on the type, each after those that restrict it.
local function read_values(report, path, given, member)
  local bound = { type = given.type, is_bound = true }
  local minimum = fit(report, path .. ".minimum", bound, given.minimum)
  local maximum = fit(report, path .. ".maximum", bound, given.maximum)
  if minimum and maximum and minimum > maximum then
    schema.expected(report, path .. ".minimum", ("at most the maximum, %s"):format(maximum), minimum)
  end
  member.minimum, member.maximum, member.pattern = minimum, maximum, given.pattern
  if given.values then member.values = fit_values(report, path, member, given.values) end
  member.default = fit(report, path .. ".default", member, given.default)
  member.example = fit(report, path .. ".example", member, given.example)
end

---@return bide.InputMember? member a copy, whose values are read; nil if something is wrong
local function read_checked(report, path, given, depth)
  local before = #report.problems
  check_reserved(report, path, given)
  if #report.problems > before then return nil end
  local member = {
    type = given.type, required = given.required, documentation = given.documentation, positional = given.positional,
    secret = given.secret, option = given.option, empty = given.empty, expected = given.expected, asks = given.asks,
    origin = given.origin,
  }
  if given.of then member.of = read_member(report, path .. ".of", given.of, check_element, depth + 1) end
  if given.of and not member.of then return nil end
  read_values(report, path, given, member)
  return #report.problems == before and member or nil
end

function read_member(report, path, given, check, depth)
  if depth > MOST_NESTED then return schema.add(report, path, "the lists are nested too deeply") end
  local before = #report.problems
  check(report, path, given)
  if #report.problems > before then return nil end
  return read_checked(report, path, given, depth)
end

local function check_positions(report, path, declared)
  local name_at, count = {}, 0
  for _, name in ipairs(option.sorted_keys(declared)) do
    local position = declared[name].positional
    if position and name_at[position] then
      schema.expected(report, ("%s.%s.positional"):format(path, name),
        ("a position that %s does not have"):format(name_at[position]), position)
    end
    if position then name_at[position], count = name, count + 1 end
  end
  for position, name in pairs(name_at) do
    if position > count then
      schema.expected(report, ("%s.%s.positional"):format(path, name),
        ("at most %d, since positions are numbered without holes"):format(count), position)
    end
  end
end

---@return bide.Inputs declared what is right of it
local function read(report, path, given)
  local declared = {}
  for _, name in ipairs(option.sorted_keys(given)) do
    if type(name) ~= "string" then
      schema.add(report, ("%s[%s]"):format(path, tostring(name)), "expected inputs by name, found one without a name")
    else
      declared[name] = read_member(report, path .. "." .. name, given[name], check_member, 0)
    end
  end
  check_positions(report, path, declared)
  return declared
end

---Checks a declaration, for the structure of an operation.
---@param report bide.Report
---@param path string
---@param given any
function M.check(report, path, given)
  if type(given) ~= "table" then
    return schema.expected(report, path, "a table of inputs by name", given)
  end
  read(report, path, given)
end

---Declares the idempotency token of a recipe that does not declare it itself.
local function token()
  return { type = "string", documentation = "The idempotency token. Default: a new one for each wait." }
end

---The inputs that M.check has found right, each value as the type has it.
---@param given table? nil for an operation that takes any input
---@param token_member string? the name of its idempotency token
---@return bide.Inputs?
function M.of(given, token_member)
  if given == nil then return nil end
  local declared = read(schema.report(), "", given)
  if token_member and not declared[token_member] then declared[token_member] = token() end
  return declared
end

---Returns the names of the inputs that are declared as secret.
---@param declared bide.Inputs?
---@return string[]
function M.secrets(declared)
  local names = {}
  for _, name in ipairs(option.sorted_keys(declared or {})) do
    if declared[name].secret then names[#names + 1] = name end
  end
  return names
end

---Returns a declaration whose inputs have no defaults.
---@param declared bide.Inputs?
---@return bide.Inputs?
function M.without_defaults(declared)
  if not declared then return nil end
  local others = {}
  for name, member in pairs(declared) do
    others[name] = tables.merged(member)
    others[name].default = nil
  end
  return others
end

-- ---- order ---------------------------------------------------------------------------------

local order_of = setmetatable({}, { __mode = "k" })

local function rank(member)
  return member.positional or member.required and 1000 or 1001
end

---Returns the names in the order in which they are shown and checked: positional ones, required ones, the others.
---@param declared bide.Inputs
---@return string[]
function M.names(declared)
  if order_of[declared] then return order_of[declared] end
  local names = option.sorted_keys(declared)
  table.sort(names, function(a, b)
    local first, second = rank(declared[a]), rank(declared[b])
    if first ~= second then return first < second end
    return a < b
  end)
  order_of[declared] = names
  return names
end

---Returns the names of the positional inputs, in their order.
---@param declared bide.Inputs?
---@return string[]
function M.positional(declared)
  local names = {}
  for name, member in pairs(declared or {}) do
    if member.positional then names[member.positional] = name end
  end
  return names
end

---Reports whether an input takes all words from its place on: it is a list, and the last positional one.
---@param declared bide.Inputs?
---@param name string
---@return boolean
function M.takes_rest(declared, name)
  local member = declared and declared[name]
  return member ~= nil and member.type == "list" and member.positional == #M.positional(declared)
end

return M
