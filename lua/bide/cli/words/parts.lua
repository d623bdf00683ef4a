---The command line of `bide run` in parts: `RECIPE … + RECIPE …`. An option of the run holds once, wherever it is. An
---option of a wait holds for its part; before the first recipe it holds for every part.

local acceptors = require "bide.cli.words.acceptors"
local connection = require "bide.cli.words.connection"
local exit_code = require "bide.cli.ending.exit_code"
local limits = require "bide.recipe.waiter.limits"
local parser = require "bide.cli.words.parser"
local shared = require "bide.cli.words.shared_options"
local tables = require "bide.text.tables"

local M = {}

---The options of a wait, and whether all that are given count, or the last one. All other options are of the run.
---@type table<string, "last"|"all">
M.of_wait = {
  ["--until"] = "all", ["--fail"] = "all", ["--fail-message"] = "last", ["--retry-on"] = "all", ["--invert"] = "last",
  ["--allow-missing"] = "last",
  ["--exit-code"] = "all", ["--with"] = "all", ["--token"] = "last", ["--input"] = "last",
  ["--env"] = "all",
}

for _, option in ipairs(connection.options) do M.of_wait[option] = "last" end

for _, row in ipairs(limits.rows) do
  if not row.of_run then M.of_wait[shared.option_of(row.name)] = "last" end
  if row.flag then M.of_wait[row.flag] = "last" end
end

---Adds the options of a wait, and those of the run that belong to them.
---@param command table
function M.add_options(command)
  acceptors.add_decisions(command)
  command:begin_section "Recipe and input"
  command:option("--input", "Set the whole input: JSON, or @FILE; @- is standard input."):argname("JSON")
  command:option("--token", "Use T as the idempotency token of the request, instead of a new one."):argname("T")
    :reads(shared.read_token)
  shared.add_rate(command)
  connection.add_options(command)
  exit_code.add_option(command)
end

---An option with its argument, as the words of the command line.
---@class bide.cli.Given
---@field name string "--max-attempts"
---@field is_known boolean
---@field words string[]

---@class bide.cli.Part
---@field companion bide.cli.Part? of the first part: the wait of --while, which has no options of its own
---@field of_run bide.cli.Given[] shared by all parts
---@field of_wait bide.cli.Given[]
---@field unknown bide.cli.Given[] options that bide does not know; the recipe may declare them
---@field words string[] the recipe and what follows it, without options

---Returns the option that begins at a position, and the position after it.
---@param command table
---@param words string[]
---@return bide.cli.Given? given nil if the word is not an option; ends the process if its argument is missing
---@return integer next
local function read_option(command, words, position)
  local word = words[position]
  if not word:find("^%-.") then return nil, position + 1 end
  local given = word:match "^%-%-[^=]+" or word
  local known = command.options[given]
  if not known and command.options["-" .. given] then
    command:error(("unknown option '%s', did you mean -%s?"):format(given, given))
  end
  local last = given == word and known and known.takes_argument and position + 1 or position
  if last > #words then command:error(("option '%s' requires an argument"):format(given)) end
  if not known and given == word and words[last + 1] and not words[last + 1]:find "^[-+]" then last = last + 1 end
  local name = known and known.name or given
  return { name = name, is_known = known ~= nil, words = table.move(words, position, last, 1, {}) }, last + 1
end

---The option whose argument is a recipe with its words.
M.COMPANION = "--while"

---Reads the words of --while, which end at the next option or `+`; ends the process if there are none.
---@param given bide.cli.Given the option with its first word
---@param words string[]
---@param position integer after it
---@param of_run bide.cli.Given[]
---@return bide.cli.Part companion
---@return integer next
local function read_companion(given, words, position, of_run)
  local first = given.words[2] or given.words[1]:match "=(.*)$"
  if first:find "^%-" or first == "+" then parser.fail(("--while: expected RECIPE …, found %s"):format(first)) end
  local own = { first }
  while words[position] and words[position] ~= "+" and not words[position]:find "^%-." do
    own[#own + 1] = words[position]
    position = position + 1
  end
  return { of_run = of_run, of_wait = {}, unknown = {}, words = own }, position
end

---@param command table
---@param words string[]
---@return bide.cli.Part[]
---@return bide.cli.Given[] common the options of a wait before the first recipe
local function split(command, words)
  local of_run, common, position = {}, {}, 1
  local part = { of_run = of_run, of_wait = {}, unknown = {}, words = {} }
  local parts = { part }
  while position <= #words do
    local word = words[position]
    local given, after = read_option(command, words, position)
    if given and given.name == M.COMPANION and given.is_known then
      if parts[1].companion then parser.fail "--while is given twice" end
      parts[1].companion, after = read_companion(given, words, after, of_run)
    elseif given and not given.is_known then
      table.insert(part.unknown, given)
    elseif given then
      local is_common = #parts == 1 and #part.words == 0
      table.insert(not M.of_wait[given.name] and of_run or is_common and common or part.of_wait, given)
    elseif word == "+" then
      part = { of_run = of_run, of_wait = {}, unknown = {}, words = {} }
      parts[#parts + 1] = part
    else
      table.insert(part.words, word)
    end
    position = after
  end
  return parts, common
end

---The options of the run that may be repeated.
local repeatable = { ["--output"] = true, ["--store"] = true, ["--allow-net"] = true, ["--deny-net"] = true }

---Ends the process if an option of the run is given twice.
local function refuse_twice(of_run)
  local known = {}
  for _, given in ipairs(of_run) do
    if known[given.name] and not repeatable[given.name] then
      parser.fail(("%s is given twice, and holds for all parts of the command"):format(given.name))
    end
    known[given.name] = true
  end
end

---Joins the options of a wait that hold for several waits with its own ones, which come before them.
---@param common bide.cli.Given[]
---@param own bide.cli.Given[]
---@return bide.cli.Given[]
function M.join(common, own)
  local is_own, joined = {}, {}
  for _, given in ipairs(own) do is_own[given.name] = true end
  for _, given in ipairs(common) do
    if M.of_wait[given.name] == "all" or not is_own[given.name] then joined[#joined + 1] = given end
  end
  return tables.append(joined, own)
end

---Splits a command line at each `+`; ends the process if an option of the run is given in two parts.
---@param command table a parser
---@param arguments string[]
---@return bide.cli.Part[] parts at least one
function M.split(command, arguments)
  local parts, common = split(command, command:normalize(arguments))
  if #parts > 1 then refuse_twice(parts[1].of_run) end
  for _, part in ipairs(parts) do
    part.of_wait = M.join(common, part.of_wait)
  end
  return parts
end

---Reports whether the recipe runs in the sandbox, which is not made yet while the command line is read.
local function is_sandboxed(part)
  for _, given in ipairs(part.of_run) do
    if given.name == "--sandbox" then return true end
  end
  return false
end

---Returns the words of a part that bide itself knows.
---@param part bide.cli.Part
---@return string[]
local function known_words(part)
  local arguments = {}
  for _, list in ipairs { part.of_run, part.of_wait } do
    for _, given in ipairs(list) do tables.append(arguments, given.words) end
  end
  return tables.append(arguments, part.words)
end

---Remembers how the options of a wait were written, for a definition that other processes read.
---@return table options
local function with_words(options, part)
  options.given = part.of_wait
  return options
end

---Parses a part with the options that its recipe declares, for which the recipe is loaded; ends the process if there is a
---mistake in it.
---@param command table
---@param part bide.cli.Part
---@return table options
function M.parse_declared(command, part)
  local words, meant = require("bide.cli.words.recipe_options").translate(part.unknown, part.words[1], part.words)
  command.inputs = meant
  local arguments = known_words(part)
  return with_words(command:parse(tables.append(arguments, words)), part)
end

---Parses a part as the command line of one wait; ends the process if there is a mistake in it. Runs no code of a user's
---recipe: options that it may declare are left out.
---@param command table
---@param part bide.cli.Part
---@return table options
function M.parse(command, part)
  local recipe = #part.unknown > 0 and not is_sandboxed(part) and part.words[1] or nil
  local options_of = recipe and require "bide.cli.words.recipe_options"
  if options_of and options_of.is_own(recipe) then return M.parse_declared(command, part) end
  local arguments = known_words(part)
  for _, given in ipairs(part.unknown) do
    if not options_of or not options_of.may_declare(recipe, given) then
      command.inputs = options_of and { [given.name] = options_of.meaning(recipe, given) }
      tables.append(arguments, given.words)
    end
  end
  return with_words(command:parse(arguments), part)
end

---@class bide.cli.ParsedPart : bide.cli.Part
---@field options table

---Adds the max wait of the environment, as if it were on the line, to the options of the run if these have none.
---@param of_run bide.cli.Given[]
local function add_environment(of_run)
  local words = shared.max_wait_of_environment()
  for _, given in ipairs(of_run) do
    if given.name == "--max-wait" then return end
  end
  if words then table.insert(of_run, { name = "--max-wait", is_known = true, words = words }) end
end

---Takes `--all` for an option that the recipe may declare, as `pod --all`: for a single wait it can mean nothing else.
---@param list bide.cli.Part[]
local function hand_over_all(list)
  local of_run, position = list[1].of_run, nil
  for at, given in ipairs(of_run) do
    if given.name == "--each" then return end
    if given.name == "--all" then position = at end
  end
  if #list == 1 and position then table.insert(list[1].unknown, table.remove(of_run, position)) end
end

---Parses a command line; ends the process if there is a mistake in it, or no max wait.
---@param command table a parser
---@param arguments string[]
---@param mistake_of fun(list: bide.cli.ParsedPart[]): string? finds what is wrong with the parts, before the code of a user's
---recipe runs
---@param own? string[] COMMAND
---@return bide.cli.ParsedPart[]
function M.parse_line(command, arguments, mistake_of, own)
  command:refuse_host(arguments)
  local list = M.split(command, arguments)
  add_environment(list[1].of_run)
  hand_over_all(list)
  for _, part in ipairs(list) do part.options = M.parse(command, part) end
  local companion = list[1].companion
  if companion then
    parser.set_place(M.COMPANION)
    companion.options = M.parse(command, companion)
    parser.set_place(nil)
  end
  local mistake = mistake_of(list)
  if mistake then parser.fail(mistake) end
  shared.require_max_wait(list[1].options, own)
  for _, part in ipairs(list) do
    if #part.unknown > 0 then part.options = M.parse_declared(command, part) end
  end
  return list
end

return M
