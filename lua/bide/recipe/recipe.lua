---A recipe as its callers see it: its waiters, by their names.

local definition = require "bide.recipe.waiter.definition"
local nearest = require("bide.core").names.nearest
local shown = require "bide.text.shown"
local spelling = require "bide.recipe.spelling"
local tables = require "bide.text.tables"

---@class bide.RecipeFiles: string[] the file, those for --with, and that of a model's shapes
---@field name string by which the recipe was loaded
---@field with string[] those for --with
---@field of_model boolean? whether the recipe is a model
---@field connection bide.LoadOptions? of a model that a script has loaded

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

---The value of an input that a word in capitals may be, as in `bide http POST URL` and `bide dns NAME MX`.
local methods = tables.set { "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT", "DELETE" }

---Returns the input that a word may be the value of: "method=POST".
---@return string?
local function assignment_of(recipe, word)
  for _, name in ipairs(recipe.names) do
    for key, member in pairs(recipe.waiters[name].inputs or {}) do
      local takes = key == "method" and methods[word] or member.values and tables.set(member.values)[word]
      if takes then return ("%s=%s"):format(key, word) end
    end
  end
end

---The most waiters that a message names.
local FEW = 12

---Returns the waiters of a recipe, or how to list them.
local function defined(recipe)
  local count = #recipe.names
  if count > FEW then return ("bide list %s lists its %d waiters"):format(shown.word(recipe.files.name), count) end
  return "it defines " .. (count > 0 and table.concat(recipe.names, ", ") or "none")
end

local function no_waiter(recipe, name)
  local near, assignment = nearest(spelling.to_name(name), recipe.names), assignment_of(recipe, name)
  return ("%s: no waiter is called %s; %s"):format(recipe.file, shown.quote(name), near and ("did you mean %q?"):format(near)
    or assignment and "the input is " .. assignment or defined(recipe))
end

---Returns a method or a waiter: `bide.load("things.lua").ThingExists`. A name in the form of a waiter's that no waiter has
---raises a mistake; any other is nil.
function Recipe:__index(name)
  local found = Recipe[name] or rawget(self, "waiters") and self.waiters[name]
  if not found and definition.is_name(name) and rawget(self, "names") then error(no_waiter(self, name), 2) end
  return found
end

---Returns a word, or the name of the waiter that it means in kebab case or in snake case, which waiters of models have: AWS's
---own tools write `thing-exists`, boto3 `thing_exists`.
---@param word string
---@return string? name nil if the word is in that spelling and means no waiter
function Recipe:spelled(word)
  if not self.facts or self.waiters[word] then return word end
  return spelling.find(word, self.names) or not spelling.is_spelled(word) and word or nil
end

---Finds a waiter; without a name, the only one, or the default of an operation.
---@param name string? in any spelling
---@return bide.Waiter?
---@return string? mistake
function Recipe:find(name)
  name = name and self:spelled(name) or name
  if name and self.waiters[name] then return self.waiters[name] end
  if name then return nil, no_waiter(self, name) end
  if #self.names == 1 or self.default then return self.waiters[self.default or self.names[1]] end
  return nil, ("%s: which waiter? %s"):format(self.file, defined(self))
end

return Recipe
