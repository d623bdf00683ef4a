---Loads recipes: files that define waiters. A Lua file returns operations by name; a JSON file is a trait value.

local Recipe = require "bide.recipe.recipe"
local build = require "bide.recipe.build"
local chunk = require "bide.recipe.file.chunk"
local custom = require "bide.recipe.waiter.custom"
local defined = require "bide.recipe.file.defined"
local models = require "bide.recipe.file.models"
local option = require "bide.text.option"
local recipe_path = require "bide.recipe.file.path"
local script_error = require "bide.text.script_error"
local tables = require "bide.text.tables"

local M = {}

---Calls a function that reads tables of scripts, whose metamethods may raise; what they raise is a mistake of the file.
---@param file string
---@param read fun(...): any, string?
---@return any ... its results
local function guarded(file, read, ...)
  local results = table.pack(xpcall(read, script_error.explain, ...))
  if results[1] then return table.unpack(results, 2, results.n) end
  if type(results[2]) ~= "table" then error(results[2], 0) end
  return nil, chunk.mistake_of(file, results[2])
end

-- ---- the files for --with ------------------------------------------------------------

---Adds the operations of one file for --with.
---@param with bide.With
---@return string? mistake
local function add_with(with, name)
  local file, text, found, mistake
  file, mistake = recipe_path.find(name)
  if not file then return mistake end
  with.files[#with.files + 1] = file
  text, mistake = chunk.read(file)
  if not text then return mistake end
  found, mistake = defined.operations(file, text, with.vocabulary, true)
  if not found then return mistake end
  for _, operation in ipairs(option.sorted_keys(found)) do
    local other = with.operations[operation]
    if other then return build.defined_twice(operation, file, other.file) end
    with.operations[operation] = build.merge(operation, found[operation], {})
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
  local _names <close> = custom.keep_apart()
  local _end <close> = chunk.watched(given[1] or "")
  local with, mistake = guarded(given[1] or "", load_with, given)
  if with then with.matchers = custom.names_apart() end
  return with, mistake
end

-- ---- loading -------------------------------------------------------------------------

---@class bide.LoadOptions : bide.Connection
---@field with? string|string[]|bide.With Lua files with operations for waiters without one
---@field words? string[] of a command line: of the waiters of a service of AWS, only the one that they name is made

---The sources of a recipe besides its file.
---@class bide.RecipeSource
---@field name string
---@field with table<string, table>? the operations of --with
---@field with_files string[]
---@field with_vocabulary bide.Vocabulary? that of the files for --with
---@field new_waiter fun(name: string, checked: table, operation: table): bide.Waiter
---@field service string? the service of AWS that it is
---@field words string[]? that name the only waiter of the service which is needed
---@field load_all? fun(): bide.Recipe? loads the others as well, for a message

---@param file string
---@param source bide.RecipeSource
local function read_recipe(file, source)
  local text, mistake = chunk.read(file)
  if not text then return nil, mistake end
  local own = chunk.vocabulary(source.with_vocabulary)
  local found, wrong, has_none, list = defined.read(file, text, own, source.words)
  if not found then return nil, wrong, has_none, list end
  local hint = recipe_path.hint(source.name)
  local files = { file, name = source.name, with = source.with_files, table.unpack(source.with_files) }
  if found.facts then
    files[#files + 1], files.of_model = found.facts.file_beside, true
  end
  local recipe = setmetatable({
    file = file, files = files, names = {}, waiters = {}, facts = found.facts,
    warnings = { hint and ("%s is the recipe %s; %s"):format(source.name, file, hint) },
  }, Recipe)
  return build.build({
    recipe = recipe, text = text, of_lua = defined.is_lua(file, text), defined = found, taken = {}, mistakes = {},
    new_waiter = source.new_waiter, vocabulary = own, load_all = source.load_all,
    known = source.service and models.complete(source.service, found.operations) or {},
  }, source.with)
end

---Reads the recipe of a service of AWS, from the best data that can be read.
---@param source bide.RecipeSource
---@return bide.Recipe?
---@return string? mistake
local function read_service(service, source)
  source.service = service
  local recipe, found = models.first_of_service(service, function(file) return read_recipe(file, source) end)
  if not recipe then return nil, found end
  tables.append(recipe.warnings, found)
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
  local service, words = recipe_path.service_of(name), options and options.words
  if service and words then
    source.words = words
    source.load_all = function() return (load_recipe(name, { with = with }, new_waiter)) end
  end
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
  local _names <close> = custom.keep_apart(getmetatable(with) == With and with.matchers or nil)
  local _end <close> = chunk.watched(name)
  return guarded(name, load_recipe, name, options, new_waiter)
end

return M
