---Lists of waits: the lines of `--each FILE` without a recipe, a JSON file that holds a list, a Lua file that returns one.
---An entry is the command line of one wait, in the form of JSON:
---
---    {"recipe": "http", "input": {"url": "http://db:8080/"}, "maxAttempts": 5, "name": "api"}

local branch = require "bide.cli.waits.branch"
local core = require "bide.core"
local each = require "bide.cli.waits.each"
local parser = require "bide.cli.words.parser"
local parts = require "bide.cli.words.parts"
local schema = require "bide.recipe.waiter.schema"
local shown = require "bide.text.shown"
local tables = require "bide.text.tables"

local json, sorted_names = core.json, require("bide.text.option").sorted_names

local M = {}

-- ---- the members of an entry ------------------------------------------------------------------

---`--max-attempts` is maxAttempts.
local function member_of(option)
  return (option:gsub("^%-%-", ""):gsub("%-(%l)", string.upper))
end

---@type bide.OptionKind
local string_or_number = {
  "a string or a number", function(value) return type(value) == "string" or type(value) == "number" end,
}

local check_argument = schema.of(string_or_number)
local check_arguments = schema.list(check_argument, "a string or a list of strings")
local check_object = schema.of({ "an object", tables.is_object })

---Checks the argument of an option that may be given several times. A list without elements asks for nothing.
local function check_some(report, path, value)
  if type(value) == "table" and next(value) == nil then
    return schema.add(report, path, "expected a string or a list of strings, found an empty list; leave it out")
  end
  return (type(value) == "table" and check_arguments or check_argument)(report, path, value)
end

---Checks exit codes by names of outcomes: `{"Complete": 0}`.
local function check_codes(report, path, value)
  check_object(report, path, value)
  if type(value) ~= "table" then return end
  for name, code in pairs(value) do check_argument(report, ("%s.%s"):format(path, name), code) end
end

local own_members = {
  recipe = { check = schema.string, required = "the name or the file of a recipe" },
  waiter = { check = schema.string }, input = { check = check_object }, name = { check = schema.string },
}

---Returns why a member is not known, if it is no misspelt one: it is an option of the whole run, or an input.
---@param command table
---@param members table<string, any>
---@return string?
local function reason_of(command, members, name)
  local wanted = name:lower()
  for given in pairs(command.options) do
    if given:gsub("%-", "") == wanted and not members[member_of(given)] then return "it holds for the run: " .. given end
  end
  if core.names.nearest(name, sorted_names(members)) then return nil end
  return ("an input belongs into input: {%s: …}"):format(shown.quote(name))
end

---@param command table
---@return fun(report: bide.Report, path: string, value: any) check
---@return table<string, string> option_of the option of each member that is one
local function members_of(command)
  local members, option_of = tables.merged(own_members), {}
  for option, which in pairs(parts.of_wait) do
    local name = member_of(option)
    if not members[name] and command.options[option] then
      option_of[name] = option
      members[name] = { check = not command.options[option].takes_argument and schema.boolean
        or option == "--exit-code" and check_codes or which == "all" and check_some or check_argument }
    end
  end
  return schema.structure(members, "an object with the members of a wait, recipe among them", nil,
    setmetatable({}, { __index = function(_, name) return reason_of(command, members, name) end })), option_of
end

-- ---- entries as command lines -----------------------------------------------------------------

---Finds a file beside the list; a name, and a path that begins at the root, stay what they are.
---@param folder string? nil if the list is in the current one
local function beside(folder, name)
  return folder and name:find "[./]" and name:sub(1, 1) ~= "/" and ("%s/%s"):format(folder, name) or name
end

---@return bide.cli.Given[]
local function options_of(entry, option_of, folder)
  local names, given = {}, {}
  for name in pairs(entry) do names[#names + 1] = option_of[name] and name or nil end
  table.sort(names)
  local function add(option, argument)
    given[#given + 1] = { name = option, words = { argument and ("%s=%s"):format(option, argument) or option } }
  end
  for _, name in ipairs(names) do
    local option, value = option_of[name], entry[name]
    if option == "--with" then
      for _, file in ipairs(type(value) == "table" and value or { value }) do add(option, beside(folder, file)) end
    elseif option == "--exit-code" then
      for outcome, code in pairs(value) do add(option, ("%s=%s"):format(outcome, code)) end
    elseif type(value) == "table" then
      for _, argument in ipairs(value) do add(option, argument) end
    elseif value then
      add(option, value ~= true and value or nil)
    end
  end
  return given
end

---@class bide.cli.EntryReader
---@field command table the parser
---@field part bide.cli.Part the options for all entries
---@field folder string? that relative files are beside
---@field check fun(report: bide.Report, path: string, value: any)
---@field option_of table<string, string>
---@field recipes table<string, bide.Recipe>
---@field known table<string, bide.cli.Branch> by the words that they were read from
local Reader = {}
Reader.__index = Reader

local function new_reader(command, part, file)
  local check, option_of = members_of(command)
  return setmetatable({
    command = command, part = part, folder = file:match "^(.*)/[^/]*$", check = check, option_of = option_of,
    recipes = {}, known = {},
  }, Reader)
end

---Loads a recipe once for all entries with the same operations.
---@return bide.Recipe
function Reader:recipe(options)
  local key = table.concat({ options.recipe, table.unpack(options.with) }, "\0")
  self.recipes[key] = self.recipes[key] or branch.load(options)
  return self.recipes[key]
end

---Reads all but the input and the name. Entries that differ only in those share a waiter and limits.
---@return bide.cli.Branch
function Reader:branch(entry)
  local own = options_of(entry, self.option_of, self.folder)
  local words = { beside(self.folder, entry.recipe), entry.waiter or "" }
  for _, given in ipairs(own) do words[#words + 1] = given.words[1] end
  local key = table.concat(words, "\0")
  if not self.known[key] then
    local options = parts.parse(self.command, {
      of_run = self.part.of_run, of_wait = parts.join(self.part.of_wait, own), unknown = {}, words = { words[1] },
    })
    options.waiter = entry.waiter
    self.known[key] = branch.of(self:recipe(options), options)
  end
  return self.known[key]
end

---@param entry any
---@param group bide.cli.Group gets the wait
function Reader:read(entry, group)
  local report = schema.report()
  self.check(report, "", entry)
  local problem = report.problems[1]
  if problem then parser.fail(problem.path == "" and problem.text or ("%s: %s"):format(problem.path, problem.text)) end
  local read = self:branch(entry)
  group:add_branch(read, entry.input and assert(json.document(entry.input)) or read.input, entry.recipe, entry.name)
end

-- ---- lists ------------------------------------------------------------------------------------

---@param reader bide.cli.EntryReader
---@param group bide.cli.Group
---@param entry any
---@param place string
local function add(reader, group, entry, place)
  parser.set_place(place)
  reader:read(entry, group)
  parser.set_place(nil)
end

---Reads the lines of `--each FILE`.
---@param command table the parser
---@param part bide.cli.Part
---@param file string
---@param group bide.cli.Group gets the waits
function M.read_lines(command, part, file, group)
  local reader = new_reader(command, part, file)
  for entry, line in each.documents(file) do add(reader, group, entry:value(), ("%s:%d"):format(file, line)) end
end

---Reads the list that a file holds.
---@param command table the parser
---@param part bide.cli.ParsedPart
---@param list bide.WaitList
---@param group bide.cli.Group gets the waits
function M.read_list(command, part, list, group)
  if #part.words > 1 or part.options.input then
    parser.fail(("%s is a list of waits, so that an input belongs into the list: found %s"):format(list.file,
      part.words[2] and shown.quote(part.words[2]) or "--input"))
  end
  if #list.waits == 0 then parser.fail(("%s: expected at least one wait, found an empty list"):format(list.file)) end
  local reader = new_reader(command, part, list.file)
  local has_lines = #list.lines == #list.waits
  for position, entry in ipairs(list.waits) do
    add(reader, group, entry, has_lines and ("%s:%d"):format(list.file, list.lines[position])
      or ("%s: wait %d"):format(list.file, position))
  end
end

return M
