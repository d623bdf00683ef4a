---The inputs of waits: by the declaration of an operation, they are read from the texts of the command line, and are checked and
---completed with the defaults before a wait begins. A mistake names the member, what was expected and what was found. An
---operation without a declaration takes any input.

local core = require "bide.core"
local declaration = require "bide.recipe.input.declaration"
local nearest = require("bide.core").names.nearest
local option = require "bide.text.option"
local shown = require "bide.text.shown"
local types = require "bide.recipe.input.types"

local json = core.json

local M = {}

---The most waiters that a mistake names.
local MOST_TAKERS = 4

---@param takers string[]
---@return string
local function describe_takers(takers)
  if #takers == 1 then return "name the waiter that takes it: " .. takers[1] end
  return ("name a waiter that takes it: %s%s"):format(table.concat(takers, ", ", 1, math.min(#takers, MOST_TAKERS)),
    #takers > MOST_TAKERS and " …" or "")
end

---Finds the waiters of the same recipe that have an input which this one has not.
---@alias bide.FindTakers fun(name: string): string[]

---The inputs of bundled recipes, by what other tools call them.
M.names_elsewhere = {
  contains = "expect", text = "expect", grep = "expect", regex = "matches", regexp = "matches", pattern = "matches",
  sql = "query", statement = "query", uri = "url", address = "url", dbname = "database", db = "database", username = "user",
  code = "status", cafile = "ca", cacert = "ca", cert = "certificate", pass = "password", ns = "namespace",
}

---@param name string
---@param declared bide.Inputs
---@param find_takers bide.FindTakers?
---@return string mistake
local function unknown(name, declared, find_takers)
  local takers = find_takers and find_takers(name) or {}
  local names, meant = declaration.names(declared), M.names_elsewhere[name:lower()]
  local near = declared[meant] and meant or nearest(name, names)
  if meant and not near and #takers == 0 then
    takers = find_takers and find_takers(meant) or {}
    if #takers > 0 then
      return ("unknown input %s, did you mean %q? %s"):format(shown.quote(name), meant, (describe_takers(takers):gsub("^n", "N")))
    end
  end
  if #takers > 0 then
    return ("unknown input %s; %s%s"):format(shown.quote(name), near and ("did you mean %q? Otherwise "):format(near) or "",
      describe_takers(takers))
  end
  return ("unknown input %s, %s"):format(shown.quote(name), near and ("did you mean %q?"):format(near)
    or #names == 0 and "the operation takes none" or "expected one of " .. table.concat(names, ", "))
end

---Returns what a person may write instead. A required input that is empty rarely means something.
---@param problem bide.InputProblem
---@return string
local function hint_of(name, member, problem, is_secret)
  local is_empty = problem.words ~= nil
  if problem.form and not is_secret then return "; write " .. problem.form end
  local text = not is_secret and member.type == "object" and type(problem.found) == "string" and problem.found
  if text and core.json.decode(text) == nil then return require "bide.text.json_hint"(text) end
  if not problem.meant or is_empty and member.required or not is_empty and is_secret then return "" end
  return (is_empty and "; %s:=%s says so on purpose" or "; a list in JSON is %s:=%s"):format(name, problem.meant)
end

---Describes a problem; of a secret not a byte is shown.
---@param problem bide.InputProblem
local function describe(name, member, problem, is_hidden)
  local value = problem.found
  local is_secret = is_hidden or member.secret or core.secret.kind(name)
  local words = problem.words or is_secret and value ~= nil and value ~= json.null and "[redacted]"
  local text = words and ("expected %s, found %s"):format(problem.expected, words)
    or option.expected(problem.expected, value, problem.names)
  return ("%s%s: %s%s"):format(name, problem.path, text, hint_of(name, member, problem, is_secret))
end

---Reads a text of the command line.
---@param declared bide.Inputs? without it the text is the value
---@param name string
---@param text string
---@param is_hidden? boolean whether no message may show the text
---@param find_takers? bide.FindTakers
---@return any value nil if it does not fit
---@return string? mistake
function M.of_text(declared, name, text, is_hidden, find_takers)
  if not declared then
    local problem = types.find_empty(text)
    if problem then return nil, describe(name, {}, problem, is_hidden) end
    return text
  end
  local member = declared[name]
  if not member then return nil, unknown(name, declared, find_takers) end
  local value, problem = types.of_text(member, text)
  if problem then return nil, describe(name, member, problem, is_hidden) end
  return value
end

---Returns how a secret input is written: `pin=@env:NAME`. What is written to a person has no value of `password=`.
---@param name string
---@return string
function M.from_elsewhere(name)
  return core.secret.kind(name) and ("KEY %s, VALUE @env:NAME"):format(name) or name .. "=@env:NAME"
end

---@return string mistake
local function missing(name, member)
  local problem = { path = "", expected = types.types[member.type].expected }
  local text = describe(name, member, problem)
  if member.example == nil then return ("%s; write %s=VALUE"):format(text, name) end
  return ("%s; for example %s"):format(text, shown.word(M.assignment(name, member, member.example)))
end

---Checks one member, or sets it to its default.
---@return boolean? changed
---@return string? mistake
local function complete_member(input, name, member)
  local given = input[name]
  if given == nil and member.default ~= nil then
    input[name] = member.default
    return true
  end
  if given == nil then return false, member.required and missing(name, member) or nil end
  local value, problem = types.of_value(member, given)
  if problem then return false, describe(name, member, problem) end
  input[name] = value
  return types.has_changed(value, given)
end

---@return string? mistake
local function find_unknown(declared, input, find_takers)
  local first
  for name in pairs(input) do
    if not declared[name] and (not first or name < first) then first = name end
  end
  return first and unknown(first, declared, find_takers)
end

---For each declaration, Lua's types of the inputs of which any value of that type is right, and the names that an input must
---have to lack nothing and to need no defaults.
---@type table<bide.Inputs, { types: table<string, string>, needed: string[] }>
local plain_of = setmetatable({}, { __mode = "k" })

local function plain_inputs(declared)
  local plain = { types = {}, needed = {} }
  for name, member in pairs(declared) do
    plain.types[name] = types.type_of_all(member)
    if member.required or member.default ~= nil then table.insert(plain.needed, name) end
  end
  plain_of[declared] = plain
  return plain
end

---Reports at one look whether an input is complete as it is, as most are.
---@return boolean
local function is_complete(declared, input)
  local plain <const> = plain_of[declared] or plain_inputs(declared)
  local type_of <const>, needed <const> = plain.types, plain.needed
  for name, value in next, input do
    if type(value) ~= type_of[name] then return false end
  end
  for position = 1, #needed do
    if input[needed[position]] == nil then return false end
  end
  return true
end

---Checks an input and completes it with the defaults.
---@param declared bide.Inputs? without it any input is right
---@param document bide.Document
---@param token_member? string may be null, until a token is drawn for it
---@param find_takers? bide.FindTakers
---@return bide.Document? document
---@return string? mistake
---@return table? value a new one of the document, where that was at hand
function M.complete(declared, document, token_member, find_takers)
  if not declared then return document end
  if document:type() ~= "object" then return nil, "the input: expected an object, found " .. document:type() end
  local input, has_changed = document:value(), false
  if is_complete(declared, input) then return document, nil, input end
  local mistake = find_unknown(declared, input, find_takers)
  if mistake then return nil, mistake end
  local value = input
  if token_member and input[token_member] == json.null then input[token_member], value = nil, nil end
  for _, name in ipairs(declaration.names(declared)) do
    local changed
    changed, mistake = complete_member(input, name, declared[name])
    if mistake then return nil, mistake end
    has_changed = has_changed or changed
  end
  if has_changed then return assert(json.document(input)) end
  return document, nil, value
end

-- ---- what people see of it ---------------------------------------------------------------------

---Returns a value as the command line takes it: `port=80`, `names=a,b`, `headers:={…}`.
---@param name string
---@param member bide.InputMember
---@param value any
---@return string
function M.assignment(name, member, value)
  if type(value) ~= "table" then return ("%s=%s"):format(name, value) end
  local words = {}
  for position, element in ipairs(value) do
    if member.type ~= "list" or type(element) == "table" then return ("%s:=%s"):format(name, json.encode(value)) end
    words[position] = tostring(element):gsub(",", "\\,")
  end
  return #words > 0 and ("%s=%s"):format(name, table.concat(words, ",")) or ("%s:=%s"):format(name, json.encode(value))
end

return M
