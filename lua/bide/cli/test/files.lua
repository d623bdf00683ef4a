---Finds and reads test files: `*.wait.lua`, which return a recipe and its cases.

local chunk = require "bide.recipe.file.chunk"
local cases = require "bide.cli.test.case"
local core = require "bide.core"
local dialogues = require "bide.cli.test.dialogue"
local exchanges = require "bide.cli.test.exchanges"
local file_failure = require "bide.text.file_failure"
local isolation = require "bide.cli.test.isolation"
local luv = require "luv"
local option = require "bide.text.option"
local recipe_path = require "bide.recipe.file.path"
local vocabulary = require "bide.recipe.expression.vocabulary"

local M = {}

---@class bide.test.File
---@field path string as it was given
---@field folder string
---@field text string
---@field recipe string the file or the name of the recipe, from the current folder
---@field cases bide.test.Case[]

local ENDING <const> = "%.wait%.lua$"

---The deepest folder that is searched, counted from the one that was given.
local DEEPEST <const> = 32

---Reports whether an entry of a folder is a folder. Some file systems do not say what the entries are.
local function is_folder(path, kind)
  if kind ~= "unknown" then return kind == "directory" end
  local stat = luv.fs_lstat(path)
  return stat ~= nil and stat.type == "directory"
end

---Adds the test files of a folder, and of those below it, in the order of their names.
---@return string? mistake a folder that is left out would be a success without its cases
local function add_folder(folder, found, depth)
  if depth > DEEPEST then return ("%s: expected at most %d folders in each other, found more"):format(folder, DEEPEST) end
  local entries, mistake = luv.fs_scandir(folder)
  if not entries then return file_failure.named(mistake) end
  local names = {}
  for name, kind in luv.fs_scandir_next, entries do names[#names + 1] = { name = name, kind = kind } end
  table.sort(names, function(a, b) return a.name < b.name end)
  for _, entry in ipairs(names) do
    local path = folder == "." and entry.name or ("%s/%s"):format(folder, entry.name)
    if not is_folder(path, entry.kind) then
      if entry.name:find(ENDING) then found[#found + 1] = path end
    elseif not entry.name:find "^%." then
      mistake = add_folder(path, found, depth + 1)
      if mistake then return mistake end
    end
  end
end

---Returns the test files that paths mean: files, and folders with all that are in them.
---@param paths string[]
---@return string[]? files
---@return string? mistake
function M.find(paths)
  local found = {}
  for _, path in ipairs(paths) do
    local stat, mistake = luv.fs_stat(path)
    if not stat then return nil, file_failure.named(mistake) end
    local plain, before = path:gsub("(.)/+$", "%1"), #found
    if stat.type == "directory" then mistake = add_folder(plain, found, 1) else found[#found + 1] = plain end
    if mistake then return nil, mistake end
    if #found == before then return nil, ("%s: expected files *.wait.lua, found none"):format(path) end
  end
  return found
end

---Returns where a recipe is: a name is one of BIDE_PATH or a bundled one, a path begins at the folder of the test file.
local function place_of(recipe, folder)
  if recipe_path.is_name(recipe) or recipe:find "^%w+:" or recipe:sub(1, 1) == "/" then return recipe end
  local path = ("%s/%s"):format(folder, (recipe:gsub("^%./", "")))
  return path:find("/", 1, true) and path or "./" .. path
end

---@return string? mistake
local function mistake_of(value)
  if type(value) ~= "table" then return option.expected("a table with recipe and cases", value) end
  if type(value.recipe) ~= "string" or value.recipe == "" then
    for _, operation in pairs(value) do
      if type(operation) == "table" and operation.waitable then return "this is a recipe: its cases are in files *.wait.lua" end
    end
    return "recipe: " .. option.expected("the name or the file of a recipe", value.recipe)
  end
  local names = {}
  for name in pairs(value) do
    if name ~= "recipe" and math.type(name) ~= "integer" then
      return ("%s: %s"):format(tostring(name), option.unknown("member", tostring(name), { "recipe" }))
    end
  end
  for position, case in ipairs(value) do
    local mistake = cases.mistake(case)
    local label = type(case) == "table" and type(case.name) == "string" and case.name or ("case %d"):format(position)
    if mistake then return ("%s: %s"):format(label, mistake) end
    if names[case.name] then return ("%s: the name is given twice"):format(case.name) end
    names[case.name] = true
  end
  if #value == 0 then return "expected at least one case, found none" end
end

---The most tables in each other, as in JSON.
local MOST_NESTED <const> = 1000

---The metatables by which JSON knows lists and objects.
local marks = { [debug.getmetatable(core.json.array {}) or 0] = true, [debug.getmetatable(core.json.decode "{}") or 0] = true }

---Copies what a file has returned without the metatables of scripts: a metamethod would run outside of the file's walls. A
---list with a hole in it is refused, since what is behind the hole would be left out.
---@param place string of the value in the file, for messages
---@param depth integer
---@return any copied
---@return string? mistake
local function copy_of(value, place, depth)
  if type(value) ~= "table" then return value end
  if depth > MOST_NESTED then return nil, ("expected at most %d tables in each other, found more"):format(MOST_NESTED) end
  local copied, metatable = {}, debug.getmetatable(value)
  for name, member in next, value do
    local mistake
    copied[name], mistake = copy_of(member, ("%s[%s]"):format(place, option.describe(name)), depth + 1)
    if mistake then return nil, mistake end
    if math.type(name) == "integer" and name > 1 and rawget(value, name - 1) == nil then
      return nil, ("%s[%d]: expected a value, since [%d] has one, found nothing"):format(place, name - 1, name)
    end
  end
  return marks[metatable] and setmetatable(copied, metatable) or copied
end

---Runs the code of a test file, which makes its cases. It has the walls of a case: what it changes is put back, and
---nothing real may happen, also where the file catches the error of that.
---@return boolean ok
---@return any value its result, or the mistake
local function run(path, text)
  local refused
  local function refuse(words) refused = refused or ("%s: %s"):format(path, (words:gsub("^the case ", "the file ", 1))) end
  local transport, dialogue = exchanges.new(nil, refuse), dialogues.new(nil, refuse)
  local _file <close> = isolation.enter {
    exchange = function(request) return transport:exchange(request) end,
    connect = function(name) return dialogue:connect(name) end,
    refuse = function(what) refuse(("the file %s, which is refused"):format(what)) end,
  }
  local ok, value = chunk.run(path, text, vocabulary.common)
  return ok and not refused, refused or value
end

---Returns the mistake of a file that Lua cannot load: a person may have named one of another kind.
---@param path string
---@param text string
---@param mistake string
---@return string
local function mistake_in_lua(path, text, mistake)
  if path:find "%.lua$" then return mistake end
  local found = core.json.read(text) or core.json.read(text:match "^[^\n]*")
  return ("%s: expected a case file, which is Lua and returns { recipe = NAME, CASE, … }, found %s (see bide help test-a-recipe)")
    :format(path, found and "JSON" or "a text that is not Lua")
end

---Reads a test file.
---@param path string
---@return bide.test.File?
---@return string? mistake
function M.read(path)
  local text, mistake = chunk.read(path)
  if not text then return nil, mistake end
  local ok, given = run(path, text)
  if not ok then return nil, mistake_in_lua(path, text, given) end
  local value
  value, mistake = copy_of(given, "", 1)
  mistake = mistake or mistake_of(value)
  if mistake then return nil, ("%s: %s"):format(path, mistake) end
  local folder = path:match "^(.*)/[^/]*$" or "."
  return { path = path, folder = folder, text = text, recipe = place_of(value.recipe, folder), cases = { table.unpack(value) } }
end

return M
