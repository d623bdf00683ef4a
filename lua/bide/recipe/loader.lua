---Loads recipes: files that define waiters. A Lua file returns operations by name; a JSON file is a trait value.
---Everything in a recipe is checked before it is used. A mistake is reported with file, line, waiter and member.

local chunk = require "bide.recipe.chunk"
local core = require "bide.core"
local definition = require "bide.recipe.definition"
local inputs = require "bide.recipe.inputs"
local form_of = require "bide.recipe.form"
local policy = require "bide.probe.http.policy"
local matchers = require "bide.recipe.matchers"
local models = require "bide.recipe.models"
local nearest = require("bide.core").names.nearest
local option = require "bide.text.option"
local places = require "bide.recipe.places"
local recipe_path = require "bide.recipe.path"
local schema = require "bide.recipe.schema"
local shown = require "bide.text.shown"
local spelling = require "bide.recipe.spelling"
local vocabulary = require "bide.recipe.vocabulary"

local M = {}

---@class bide.RecipeFiles: string[] the file, those for --with, and that of a model's shapes
---@field of_model boolean? whether the recipe is a model

---@class bide.Recipe
---@field file string
---@field files bide.RecipeFiles
---@field names string[] the names of its waiters, sorted
---@field waiters table<string, bide.Waiter>
---@field warnings string[]
---@field facts? bide.ModelFacts of a model
---@field operations table<string, table>
---@field default? string the waiter that is used if none is named
local Recipe = {}

local function no_waiter(recipe, name)
  local near = nearest(spelling.as_name(name), recipe.names)
  return ("%s: no waiter is called %s; %s"):format(recipe.file, shown.quote(name), near and ("did you mean %q?"):format(near)
    or "it defines " .. (#recipe.names > 0 and table.concat(recipe.names, ", ") or "none"))
end

---Returns a method or a waiter: `bide.load("things.lua").ThingExists`. A name in the form of a waiter's that no waiter has
---raises a mistake; any other is nil.
function Recipe:__index(name)
  local found = Recipe[name] or rawget(self, "waiters") and self.waiters[name]
  if not found and definition.is_name(name) and rawget(self, "names") then error(no_waiter(self, name), 2) end
  return found
end

---Returns a word, or the name of the waiter that it means in the second spelling, which waiters of models have: AWS's own
---tools write `thing-exists`.
---@param word string
---@return string? name nil if the word is in that spelling and means no waiter
function Recipe:spelled(word)
  if not self.facts or self.waiters[word] then return word end
  return spelling.find(word, self.names) or not spelling.is_spelled(word) and word or nil
end

---Finds a waiter; without a name, the only one, or the default of an operation.
---@param name string? in either spelling
---@return bide.Waiter?
---@return string? mistake
function Recipe:find(name)
  name = name and self:spelled(name) or name
  if name and self.waiters[name] then return self.waiters[name] end
  if name then return nil, no_waiter(self, name) end
  if #self.names == 1 or self.default then return self.waiters[self.default or self.names[1]] end
  return nil, ("%s: which waiter? it defines %s"):format(self.file, table.concat(self.names, ", "))
end

local function place(file, line)
  return line and ("%s:%d"):format(file, line) or file
end

---Describes a problem. Its place and path are one line, whatever the name of the member; its text may show an expression
---below that.
local function describe(where, path, problem)
  return ("%s: %s"):format(shown.line(("%s: %s"):format(where, path)), problem.text)
end

-- ---- what a file defines -----------------------------------------------------------

local operation_members = {
  call = { check = schema.of(option.kinds.callable) },
  prepare = { check = schema.of(option.kinds.callable) },
  input = { check = inputs.check },
  output = { check = inputs.check },
  check = { check = schema.of(option.kinds.callable) },
  watch = { check = schema.of(option.kinds.callable) },
  watch_key = { check = schema.of(option.kinds.callable) },
  watch_name = { check = schema.of(option.kinds.callable) },
  waitable = { check = schema.of(option.kinds.table, "waiters by name") },
  idempotencyToken = { check = schema.of(option.kinds.identifier, "the name of a member of the input") },
  secret = { check = schema.names },
  fact = { check = schema.expression },
  default = { check = schema.of(option.kinds.text, "the name of a waiter") },
}

---The members of an operation beside its waiters, which a file for --with may give.
local beside_waitable = { "call", "prepare", "input", "output", "check", "idempotencyToken", "secret", "fact",
  "watch", "watch_key", "watch_name" }

for _, name in ipairs(policy.members) do
  beside_waitable[#beside_waitable + 1] = name
  operation_members[name] = { check = function(report, path, value)
    local _, mistake = policy.read { [name] = value }
    if mistake then schema.add(report, path, mistake) end
  end }
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

local function is_callable(operation)
  return operation.call ~= nil or operation.prepare ~= nil
end

---Merges two definitions of an operation; members of the first one take precedence.
local function merge(name, first, second)
  local operation = { name = name, error_names = first.error_names, convert = first.convert,
    read_input = first.read_input, sensitive = first.sensitive }
  for _, member in ipairs(beside_waitable) do
    operation[member] = first[member]
    if first[member] == nil then operation[member] = second[member] end
  end
  return operation
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
---@param own bide.Vocabulary
local function read_operations(file, text, own, for_with)
  local ok, value = chunk.run(file, text, own)
  if not ok then return nil, value end
  if value == nil and for_with then return {} end
  if not for_with and type(value) == "table" and rawget(value, 1) ~= nil then return list_of(file, value) end
  if type(value) ~= "table" then
    return nil, ("%s: %s"):format(file, option.expected("a table of operations by name", value)), value == nil
  end
  local operations = {}
  for name, given in pairs(value) do
    local operation = type(given) == "function" and for_with and { call = given } or given
    if type(name) ~= "string" then
      return nil, ("%s: expected operations by name, found one without a name at [%s]")
        :format(file, shown.line(tostring(name)))
    end
    local report = schema.report()
    check_operation(report, name, operation)
    local problem = report.problems[1]
    if problem then
      return nil, describe(place(file, places.line_of(text, name)), problem.path, problem),
        type(operation) == "function"
    end
    operations[name] = operation
  end
  return operations
end

---@class bide.Loading
---@field recipe bide.Recipe
---@field new_waiter fun(name: string, checked: table, operation: table): bide.Waiter
---@field text string
---@field of_lua boolean
---@field line_of fun(text: string, name: string): integer? the line of a name
---@field taken table<string, string> lower-case names of waiters, as they were written
---@field mistakes string[]
---@field vocabulary bide.Vocabulary of the file
---@field is_trait? boolean whether the file is a trait value, which names no operation
local Loading = {}
Loading.__index = Loading

---Reads a model, whose operations have their inputs and waiters by their shapes.
---@param is_botocore? boolean whether it is a waiters-2.json of botocore
---@param document? bide.Document of its text
---@return table<string, table>? operations
---@return string? mistake
function Loading:read_model(is_botocore, document)
  local recipe = self.recipe
  local operations, facts = models.read(recipe.file, self.text, is_botocore, document)
  if not operations then return nil, facts end
  self.line_of, recipe.facts = facts.line_of, facts
  recipe.files[#recipe.files + 1], recipe.files.of_model = facts.file_beside, true
  return operations
end

---A trait value does not name its operation.
local function read_trait(file, text, value)
  local name, line = places.find_repeated(text)
  if name then
    return nil, ("%s:%d: %s: the name is taken: waiters are unique whatever their case"):format(file, line, name)
  end
  return value
end

---@param loading bide.Loading
---@return table? defined operations by name, or a trait value
---@return string? mistake
local function read_json(loading)
  local file, text = loading.recipe.file, loading.text
  local document, mistake = core.json.read(text, { unique = true })
  if not document then
    return nil, ("%s:%d:%d: %s"):format(file, mistake.line, mistake.column, mistake.message)
  end
  local kind = form_of(document)
  if kind == "model" or kind == "packed" or kind == "botocore" then return loading:read_model(kind == "botocore", document) end
  if kind == "service" then return nil, file .. ": expected waiters, found botocore's model of a service, which has none" end
  if kind == "array" then return list_of(file, document:value(), places.lines_of_objects(text)) end
  if kind ~= "object" then
    return nil, ("%s: %s"):format(file, option.expected("an object of waiters by name", document:value()))
  end
  loading.is_trait = true
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
    return nil, ("%s: %s"):format(file, option.expected("a list of waits, as YAML", list))
  end
  return list_of(file, list, lines)
end

-- ---- putting it together ------------------------------------------------------------

---The most mistakes that are reported; each is looked up in the text.
local MOST_REPORTED = 20

local function report_problem(loading, name, problem)
  local list = problem.severity == "warning" and loading.recipe.warnings or loading.mistakes
  if #list >= MOST_REPORTED then
    list[MOST_REPORTED + 1] = "… and more like these"
    return
  end
  local where = place(loading.recipe.file, loading.line_of(loading.text, name))
  local path = problem.path == "" and name or name .. ": " .. problem.path
  list[#list + 1] = describe(where, path, problem)
end

local function check_name(loading, name)
  if not definition.is_name(name) then return option.expected(definition.NAME, name) end
  local other = loading.taken[name:lower()]
  loading.taken[name:lower()] = name
  return other and ("the name is taken by %s: waiters are unique whatever their case"):format(other)
end

---Returns a function that gives the acceptors which bide check finds at DANGER, and what is wrong with each: its first line.
---It looks when it is called first.
---@param waiter bide.Waiter
---@return fun(): table<bide.AcceptorStructure, string>
local function dangers_of(recipe, waiter)
  local own, found = waiter.acceptors, nil
  return function()
    if found then return found end
    found = {}
    local _entered <close> = vocabulary.enter(waiter.vocabulary)
    local events = recipe.facts and recipe.facts.dangers(waiter.name) or models.dangers(waiter)
    for _, event in ipairs(events) do
      local acceptor = own[event.acceptor + 1]
      found[acceptor] = found[acceptor] or event.message:match "^[^\n]*"
    end
    return found
  end
end

---Returns a function that finds the other waiters that have an input, by its name.
---@return bide.FindTakers
local function takers_in(recipe)
  return function(input)
    local takers = {}
    for _, name in ipairs(recipe.names) do
      local declared = recipe.waiters[name].inputs
      if declared and declared[input] then takers[#takers + 1] = name end
    end
    return takers
  end
end

local function add_waiter(loading, name, value, operation)
  local mistake = check_name(loading, name)
  if mistake then report_problem(loading, tostring(name), { path = "", text = mistake }) end
  local _entered <close> = vocabulary.enter(loading.vocabulary)
  local report = definition.check(value, loading.of_lua)
  for _, problem in ipairs(report.problems) do report_problem(loading, tostring(name), problem) end
  if mistake or definition.first_error(report) then return end
  local recipe = loading.recipe
  local checked = loading.of_lua and value or definition.portable_part(value)
  local made = loading.new_waiter(name, checked, operation)
  made.portable, made.unportable, made.files = report.portable, report.unportable, recipe.files
  made.dangers, made.find_takers = dangers_of(recipe, made), takers_in(recipe)
  recipe.waiters[name] = made
  recipe.names[#recipe.names + 1] = name
end

local function defined_twice(name, file, other)
  return shown.line(("%s: the operation %s is defined in %s already"):format(file, name, other))
end

---Records the default of an operation: a waiter of its own, and the only default in the recipe.
local function take_default(loading, operation, operation_name)
  local name = operation.default
  if not name then return end
  local recipe, waitable = loading.recipe, operation.waitable or {}
  local problem
  if not waitable[name] then
    problem = option.expected("a waiter of the operation", name, option.sorted_names(waitable))
  elseif recipe.default then
    problem = ("expected one default, found %s after %s"):format(shown.quote(name), shown.quote(recipe.default))
  end
  if problem then report_problem(loading, operation_name, { path = "default", text = problem }) end
  recipe.default = recipe.default or name
end

local function add_operations(loading, operations, with)
  for _, name in ipairs(option.sorted_keys(operations)) do
    local own, other = operations[name], with and with[name] or {}
    if is_callable(own) and is_callable(other) then
      table.insert(loading.mistakes, defined_twice(name, other.file, loading.recipe.file))
    end
    local operation = merge(name, own, other)
    for _, waiter_name in ipairs(option.sorted_keys(own.waitable or {})) do
      add_waiter(loading, waiter_name, own.waitable[waiter_name], operation)
    end
    take_default(loading, own, name)
  end
end

---Returns what is wrong with the opposite of a waiter; nil if nothing is.
local function mistake_of_opposite(recipe, waiter)
  local other = recipe.waiters[waiter.opposite]
  if not other then return option.expected("a waiter of this recipe", waiter.opposite, recipe.names) end
  if other == waiter then return option.expected("another waiter", waiter.opposite) end
  if other.opposite == waiter.name then return nil end
  return ("%s, whose opposite is %s"):format(
    option.expected(("a waiter whose opposite is %q"):format(waiter.name), waiter.opposite),
    other.opposite and shown.quote(other.opposite) or "missing")
end

local function check_opposites(loading)
  local recipe = loading.recipe
  for _, name in ipairs(recipe.names) do
    local waiter = recipe.waiters[name]
    local mistake = waiter.opposite and mistake_of_opposite(recipe, waiter)
    if mistake then report_problem(loading, name, { path = "opposite", text = mistake }) end
  end
end

---Adds the waiters of a trait value. It does not name its operation, which is the one of --with.
local function add_trait(loading, trait, with)
  local names = with and option.sorted_keys(with) or {}
  if with and #names ~= 1 then
    table.insert(loading.mistakes, ("%s: a bare trait value needs exactly one operation, and --with gives %d")
      :format(loading.recipe.file, #names))
  end
  local operation = merge(names[1], {}, names[1] and with[names[1]] or {})
  for _, name in ipairs(option.sorted_keys(trait)) do add_waiter(loading, name, trait[name], operation) end
end

---Adds the warnings to the mistakes. A warning may explain a mistake: a missing member is misspelt.
local function with_warnings(loading)
  local lines = table.move(loading.mistakes, 1, #loading.mistakes, 1, {})
  for _, warning in ipairs(loading.recipe.warnings) do lines[#lines + 1] = "warning: " .. warning end
  return lines
end

---@param loading bide.Loading
local function read(loading)
  local file, text = loading.recipe.file, loading.text
  if loading.of_lua then return read_operations(file, text, loading.vocabulary) end
  if file:find "%.smithy$" then return loading:read_model() end
  if file:find "%.ya?ml$" then return read_yaml(file, text) end
  return read_json(loading)
end

local function fill(loading, with)
  local file = loading.recipe.file
  local defined, mistake, has_none, list = read(loading)
  if not defined then return nil, mistake, has_none, list end
  local add = loading.is_trait and add_trait or add_operations
  add(loading, defined, with)
  if #loading.recipe.names == 0 and #loading.mistakes == 0 then
    return nil, ("%s: expected at least one waiter, found none"):format(file), true
  end
  if #loading.mistakes == 0 then check_opposites(loading) end
  if #loading.mistakes > 0 then return nil, table.concat(with_warnings(loading), "\n") end
  table.sort(loading.recipe.names)
  return loading.recipe
end

---Adds the operations of one file for --with.
---@return string? mistake
---@param with bide.With
local function add_with(with, name)
  local file, text, found, mistake
  file, mistake = recipe_path.find(name)
  if not file then return mistake end
  with.files[#with.files + 1] = file
  text, mistake = chunk.read(file)
  if not text then return mistake end
  found, mistake = read_operations(file, text, with.vocabulary, true)
  if not found then return mistake end
  for _, operation in ipairs(option.sorted_keys(found)) do
    local other = with.operations[operation]
    if other then return defined_twice(operation, file, other.file) end
    with.operations[operation] = merge(operation, found[operation], {})
    with.operations[operation].file = file
  end
end

---The files for --with, which have been run.
---@class bide.With
---@field operations table<string, table> the members of each beside its waiters, and its file
---@field files string[]
---@field vocabulary bide.Vocabulary
---@field matchers table<string, string> the file that registered each common name of a matcher
local With = {}
With.__index = With

---@param given string|string[]
---@return bide.With?
---@return string? mistake
local function load_with(given)
  local with = setmetatable({ operations = {}, files = {}, vocabulary = chunk.vocabulary() }, With)
  for _, name in ipairs(type(given) == "table" and given or { given }) do
    local mistake = add_with(with, name)
    if mistake then return nil, mistake end
  end
  return with
end

---Runs the files for --with, once for all recipes that are loaded with what it returns.
---@param given string[]
---@return bide.With?
---@return string? mistake
function M.read_with(given)
  local _names <close> = matchers.keep_apart()
  local _end <close> = chunk.watched(given[1] or "")
  local with, mistake = load_with(given)
  if with then with.matchers = matchers.names_apart() end
  return with, mistake
end

---@class bide.LoadOptions : bide.Connection
---@field with? string|string[]|bide.With Lua files with operations for waiters without one

---The sources of a recipe besides its file.
---@class bide.RecipeSource
---@field name string
---@field with table<string, table>? the operations of --with
---@field with_files string[]
---@field with_vocabulary bide.Vocabulary? that of the files for --with
---@field new_waiter fun(name: string, checked: table, operation: table): bide.Waiter

---@param file string
---@param source bide.RecipeSource
local function read_recipe(file, source)
  local text, mistake = chunk.read(file)
  if not text then return nil, mistake end
  local hint = recipe_path.hint(source.name)
  local recipe = setmetatable({
    file = file, files = { file, table.unpack(source.with_files) }, names = {}, waiters = {},
    warnings = { hint and ("%s is the recipe %s; %s"):format(source.name, file, hint) },
  }, Recipe)
  local of_lua = not (file:find("%.json$") or file:find("%.smithy$") or file:find("%.ya?ml$")
    or text:find("^[%s\xEF\xBB\xBF]*[{%[]"))
  return fill(setmetatable({
    recipe = recipe, text = text, of_lua = of_lua, line_of = of_lua and places.line_of or places.line_of_member,
    taken = {}, mistakes = {}, new_waiter = source.new_waiter, vocabulary = chunk.vocabulary(source.with_vocabulary),
  }, Loading), source.with)
end

---Reads the recipe of a service of AWS, from the best data that can be read.
---@param source bide.RecipeSource
---@return bide.Recipe?
---@return string? mistake
local function read_service(service, source)
  local recipe, found = models.first_of_service(service, function(file) return read_recipe(file, source) end)
  if not recipe then return nil, found end
  table.move(found, 1, #found, #recipe.warnings + 1, recipe.warnings)
  recipe.facts.is_data = true
  return recipe
end

local function load_recipe(name, options, new_waiter)
  local file, mistake = recipe_path.find(name)
  if not file then return nil, mistake end
  local source = { name = name, with_files = {}, new_waiter = new_waiter }
  local with = options and options.with
  if with and getmetatable(with) ~= With then
    with, mistake = load_with(with)
    if not with then return nil, mistake end
  end
  if with and #with.files > 0 then
    source.with, source.with_files, source.with_vocabulary = with.operations, with.files, with.vocabulary
  end
  local service = recipe_path.service_of(name)
  if service then return read_service(service, source) end
  return read_recipe(file, source)
end

---Loads a recipe: a file, or the name of a recipe in BIDE_PATH or bundled with bide.
---@param name string "things.lua", "http", "aws:rds"
---@param options bide.LoadOptions?
---@param new_waiter fun(name: string, checked: table, operation: table): bide.Waiter makes each waiter
---@return bide.Recipe?
---@return string? mistake a line for each mistake
---@return boolean? has_none whether the only mistake is that it defines no waiter, as in a file for --with
---@return bide.WaitList? list if the file has a list of waits in place of a recipe
function M.load(name, options, new_waiter)
  local with = options and options.with
  local _names <close> = matchers.keep_apart(getmetatable(with) == With and with.matchers or nil)
  local _end <close> = chunk.watched(name)
  return load_recipe(name, options, new_waiter)
end

return M
