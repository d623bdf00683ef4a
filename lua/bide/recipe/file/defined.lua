---Reads what a file defines: operations by name, a trait value, or a list of waits. Nothing is put together yet, and the
---definitions of waiters are not looked at.

local chunk = require "bide.recipe.file.chunk"
local core = require "bide.core"
local form_of = require "bide.recipe.file.form"
local declaration = require "bide.recipe.input.declaration"
local models = require "bide.recipe.file.models"
local option = require "bide.text.option"
local policy = require "bide.probe.http.policy"
local schema = require "bide.recipe.waiter.schema"
local shown = require "bide.text.shown"

local M = {}

---@class bide.Defined
---@field operations table<string, table>? by name; nil for a trait value
---@field trait table<string, table>? waiters by name, of an operation that it does not name
---@field line_of fun(text: string, name: string): integer? the line of a name
---@field facts bide.ModelFacts? of a model

---Returns a place for messages.
---@param file string
---@param line integer?
---@return string
function M.place(file, line)
  return line and ("%s:%d"):format(file, line) or file
end

---Describes a problem. Its place and path are one line, whatever the name of the member; its text may show an expression
---below that.
function M.describe(where, path, problem)
  return ("%s: %s"):format(shown.line(("%s: %s"):format(where, path)), problem.text)
end

-- ---- operations of Lua --------------------------------------------------------------

---Accepts the one place that a recipe may name.
local function check_place(report, path, value)
  if value ~= "local" then schema.add(report, path, option.expected('"local"', value)) end
end

local operation_members = {
  call = { check = schema.of(option.kinds.callable) },
  prepare = { check = schema.of(option.kinds.callable) },
  input = { check = declaration.check },
  output = { check = declaration.check },
  check = { check = schema.of(option.kinds.callable) },
  witness = { check = schema.of(option.kinds.callable) },
  watch = { check = schema.of(option.kinds.callable) },
  watch_key = { check = schema.of(option.kinds.callable) },
  watch_name = { check = schema.of(option.kinds.callable) },
  waitable = { check = schema.of(option.kinds.table, "waiters by name") },
  idempotencyToken = { check = schema.of(option.kinds.identifier, "the name of a member of the input") },
  secret = { check = schema.names },
  place = { check = check_place },
  modules = { check = schema.list(schema.of(option.kinds.text), "a list of names of modules") },
  fact = { check = schema.expression },
  default = { check = schema.of(option.kinds.text, "the name of a waiter") },
}

for _, name in ipairs(policy.members) do
  operation_members[name] = { check = function(report, path, value)
    local _, mistake = policy.read { [name] = value }
    if mistake then schema.add(report, path, mistake) end
  end }
end

---The names of the members of an operation beside its waiters, which a file for --with may give.
---@type string[]
M.beside_waiters = {}
for name in pairs(operation_members) do
  if name ~= "waitable" and name ~= "default" then table.insert(M.beside_waiters, name) end
end

local check_members = schema.structure(operation_members, "an operation, with call and waitable")

local function check_operation(report, path, operation)
  check_members(report, path, operation)
  if type(operation) ~= "table" then return end
  for _, name in ipairs { "watch_key", "watch_name" } do
    if operation[name] ~= nil and operation.watch == nil then
      schema.add(report, ("%s.%s"):format(path, name), "expected the function watch beside it, found none")
    end
  end
  if operation.call == nil or operation.prepare == nil then return end
  schema.add(report, path .. ".prepare", "expected one of call and prepare, found both")
end

---A file with a list of waits, in place of a recipe.
---@class bide.WaitList
---@field file string
---@field waits table[] unchecked
---@field lines integer[] the line of each; empty for a Lua file

---@param lines? integer[] the line of each wait
---@return nil
---@return string mistake for callers that want a recipe
---@return boolean? has_none
---@return bide.WaitList? list
local function list_of(file, value, lines)
  local document, mistake = core.json.document(value)
  if not document then return nil, ("%s: %s"):format(file, tostring(mistake)) end
  return nil, ("%s: expected a recipe, found a list of waits, which `bide run` takes"):format(file), true,
    { file = file, waits = document:value(), lines = lines or {} }
end

---Reads the operations of a Lua file. In a file for --with an operation may be just a function, and there may be none, if
---the file only registers matchers.
---@param file string
---@param text string
---@param own bide.Vocabulary
---@param for_with boolean?
---@return table<string, table>? operations
---@return string? mistake
---@return boolean? has_none
---@return bide.WaitList? list
function M.operations(file, text, own, for_with)
  local ok, value = chunk.run(file, text, own)
  if not ok then return nil, value end
  if value == nil and for_with then return {} end
  if not for_with and type(value) == "table" and rawget(value, 1) ~= nil then
    if rawget(value, "recipe") ~= nil then return nil, ("%s: these are cases: bide test runs them"):format(file) end
    return list_of(file, value)
  end
  if type(value) ~= "table" then
    return nil, ("%s: %s%s"):format(file, option.expected("a table of operations by name", value),
      value == nil and "; bide exec runs a script" or ""), value == nil
  end
  for name in pairs(value) do
    if type(name) ~= "string" then
      return nil, ("%s: expected operations by name, found one without a name at [%s]")
        :format(file, shown.line(tostring(name)))
    end
  end
  local operations = {}
  for _, name in ipairs(option.sorted_names(value)) do
    local given = value[name]
    local operation = type(given) == "function" and for_with and { call = given } or given
    local report = schema.report()
    check_operation(report, name, operation)
    local problem = report.problems[1]
    if problem then
      return nil, M.describe(M.place(file, require("bide.recipe.file.places").line_of(text, name)), problem.path, problem),
        type(operation) == "function"
    end
    operations[name] = operation
  end
  return operations
end

-- ---- other forms --------------------------------------------------------------------

---Reads a model, whose operations have their inputs and waiters by their shapes.
---@param is_botocore? boolean whether it is a waiters-2.json of botocore
---@param document? bide.Document of its text
---@param words? string[] that name the only waiter which is needed
---@return bide.Defined?
---@return string? mistake
local function read_model(file, text, is_botocore, document, words)
  local operations, facts = models.read(file, text, is_botocore, document, words)
  if not operations then return nil, facts end
  return { operations = operations, line_of = facts.line_of, facts = facts }
end

---A trait value does not name its operation.
local function read_trait(file, text, value)
  local name, line = require("bide.recipe.file.places").find_repeated(text)
  if name then
    return nil, ("%s:%d: %s: the name is taken: waiters are unique whatever their case"):format(file, line, name)
  end
  return { trait = value, line_of = require("bide.recipe.file.places").line_of_member }
end

---@return bide.Defined?
---@return string? mistake
---@return boolean? has_none
---@return bide.WaitList? list
local function read_json(file, text, words)
  local document, mistake = core.json.read(text, { unique = true })
  if not document then
    local is_of_lines = mistake.line > 1 and core.json.read(text:match "^[^\n]*") ~= nil
    return nil, ("%s:%d:%d: %s%s"):format(file, mistake.line, mistake.column, mistake.message,
      is_of_lines and "; bide run --each reads lines of JSON" or "")
  end
  local kind = form_of(document)
  if kind == "model" or kind == "packed" or kind == "botocore" then
    return read_model(file, text, kind == "botocore", document, words)
  end
  if kind == "service" then return nil, file .. ": expected waiters, found botocore's model of a service, which has none" end
  if kind == "array" then
    mistake = require "bide.text.rounded"(text)
    if mistake then return nil, ("%s: %s"):format(file, mistake) end
    return list_of(file, document:value(), require("bide.recipe.file.places").lines_of_objects(text))
  end
  if kind ~= "object" then
    return nil, ("%s: %s"):format(file, option.expected("an object of waiters by name", document:value()))
  end
  return read_trait(file, text, document:value())
end

---Reads a file of YAML, in which lists of waits are written, and nothing else.
---@return nil
---@return string mistake for callers that want a recipe
---@return boolean? has_none
---@return bide.WaitList? list
local function read_yaml(file, text)
  local list, mistake, lines = require("bide.text.yaml").read(text, {
    null = core.json.null, array = core.json.array, new_object = function() return core.json.decode "{}" end,
  })
  if mistake then return nil, ("%s: %s"):format(file, mistake) end
  if not core.json.is_array(list) then
    local found = option.expected("a list of waits, as YAML", list)
    return nil, ("%s: %s"):format(file, (found:gsub("a table$", "an object: a list begins with - recipe: NAME")))
  end
  return list_of(file, list, lines)
end

---Reports whether a file is Lua's, by its name or its first character.
---@param file string
---@param text string
---@return boolean
function M.is_lua(file, text)
  return not (file:find "%.json$" or file:find "%.smithy$" or file:find "%.ya?ml$" or text:find "^[%s\xEF\xBB\xBF]*[{%[]")
end

---Returns the mistake of a file: it may be of another kind than all that define something.
---@param mistake string?
---@return string?
local function mistake_of_kind(file, mistake)
  if not mistake or file:find "%.lua$" or not mistake:find " near [^\n]*$" then return mistake end
  return ("%s: expected a recipe in Lua or JSON, or a list of waits, found a text that is not Lua (%s)"):format(file, mistake)
end

---Returns what a file defines.
---@param file string
---@param text string
---@param own bide.Vocabulary of the file
---@param words? string[] that name the only waiter of a model which is needed
---@return bide.Defined?
---@return string? mistake
---@return boolean? has_none whether the only mistake is that it defines no operation
---@return bide.WaitList? list if the file has one in place of a recipe
function M.read(file, text, own, words)
  if file:find "%.smithy$" then return read_model(file, text) end
  if file:find "%.ya?ml$" then return read_yaml(file, text) end
  if not M.is_lua(file, text) then return read_json(file, text, words) end
  local operations, mistake, has_none, list = M.operations(file, text, own)
  if not operations then return nil, mistake_of_kind(file, mistake), has_none, list end
  return { operations = operations, line_of = require("bide.recipe.file.places").line_of }
end

return M
