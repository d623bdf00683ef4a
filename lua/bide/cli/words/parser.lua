---The command line of one command: what it declares, and the mistakes of lines, with bide's exit code for usage.

local process = require "bide.cli.ending.process"
local exit_code = require "bide.cli.ending.exit_code"
local option = require "bide.text.option"
local plain_line = require "bide.cli.words.plain_line"
local recipe_path = require "bide.recipe.file.path"
local shown = require "bide.text.shown"

local M = {}

---The place of the mistakes that are found next.
local place

---Names the place in a file that is being read: messages begin with it.
---@param text string? nil for the command line
function M.set_place(text)
  place = text
end

local function with_place(message)
  return place and ("%s: %s"):format(place, message) or message
end

---The class of a mistake that is raised within M.attempt.
local Mistake = {}

---The number of calls of M.attempt that are running.
local attempts = 0

---Raises a mistake where a caller of M.attempt takes it.
---@param message string
---@param has_lines? boolean
local function raise(message, has_lines)
  if attempts > 0 then error(setmetatable({ text = with_place(message), has_lines = has_lines }, Mistake), 0) end
end

---Calls a function that ends the process if there is a mistake in what it reads, and returns the mistake in place of that.
---@generic T
---@param f fun(): T
---@return T? result
---@return string? mistake
---@return boolean? has_lines whether it has line breaks of bide's own
function M.attempt(f)
  attempts = attempts + 1
  local ok, result = pcall(f)
  attempts = attempts - 1
  if ok then return result end
  if getmetatable(result) == Mistake then return nil, result.text, result.has_lines end
  error(result, 0)
end

---Prints the mistake on one line and ends the process with the exit code for usage. Nothing was sent yet.
---@param message string
function M.fail(message)
  raise(message)
  shown.complain(with_place(message))
  process.exit(exit_code.USAGE)
end

---Prints a mistake of several lines, whose line breaks are bide's own, and ends the process with the exit code for usage.
---@param message string
function M.fail_in_lines(message)
  raise(message, true)
  shown.complain_in_lines(with_place(message))
  process.exit(exit_code.USAGE)
end

---Returns the text of a file; ends the process if it cannot be read.
---@param file string
---@return string
function M.read_file(file)
  local text, mistake = require("bide.recipe.file.chunk").read(file)
  if not text then M.fail(mistake) end
  return text
end

---Returns the files that texts mean, in their order: that of a service of AWS for `aws:rds`. Ends the process if a service
---is not known.
---@param texts string[]
---@return string[] files
function M.files_of(texts)
  local files = {}
  for position, text in ipairs(texts) do
    local file, mistake = recipe_path.file_of(text)
    files[position] = file or M.fail(mistake)
  end
  return files
end

---Joins an option and a negative number after it: in `--max-wait -5`, -5 is the argument and not an option.
local function join_negatives(arguments)
  local joined = {}
  for _, word in ipairs(arguments) do
    local before = joined[#joined]
    if word:find("^%-%d") and before and before:find("^%-%-%a[%w-]*$") then
      joined[#joined] = before .. "=" .. word
    else
      joined[#joined + 1] = word
    end
  end
  return joined
end

-- ---- what a command declares --------------------------------------------------------------------

---An argument or an option that a command declares. argparse makes it when it reads a line that has it, or when all are
---shown: a wait has 75 of them, and to make them all took a tenth of a short one.
---@class bide.cli.Declared
---@field kind "argument"|"option"|"flag"
---@field names string
---@field description string?
---@field settings table<string, any> the setters of argparse that were called, with their arguments
---@field values string[]? for completion
---@field others bide.cli.Declared[]? the options of which a line may have one, itself among them
---@field is_excluded boolean? whether argparse knows of the others
---@field element table? of argparse, once whole_line has made it
local Declared = {}
Declared.__index = Declared

for _, setter in ipairs { "action", "args", "argname", "convert", "count", "default", "hidden", "target" } do
  Declared[setter] = function(self, value)
    self.settings[setter] = value
    return self
  end
end

---Reads an argument, or that of an option.
---@param read fun(text: string): any, string? gives a value, or nil and the mistake, before which the name is put
---@param noun? string what messages name; the option by default
---@return bide.cli.Declared
function Declared:reads(read, noun)
  return self:convert(function(text)
    local value, mistake = read(text)
    if value ~= nil then return value end
    return nil, ("%s: %s"):format(noun or self.names, mistake)
  end)
end

---Lets an argument or an option be one of some names.
---@param names string[]
---@param noun? string what messages name; the option by default
---@param advice? fun(text: string): string|false|nil returns what a person may have meant by another text
---@return bide.cli.Declared
function Declared:one_of(names, noun, advice)
  local kind = option.one_of(names)
  self.values = names
  return self:reads(function(text)
    local mistake = option.mistake(text, kind)
    if not mistake then return text end
    local meant = advice and advice(text)
    return nil, meant and ("%s; %s"):format(mistake, meant) or mistake
  end, noun)
end

---@return bide.cli.Declared
local function declare(kind, names, description)
  return setmetatable({ kind = kind, names = names, description = description, settings = {} }, Declared)
end

---Adds the empty lists of the options that a line has not.
---@param result table
---@return table result
local function add_empty_lists(parser, result)
  for _, section in ipairs(parser.sections) do
    for _, declared in ipairs(section) do
      if declared.settings.count == "*" then
        local key = plain_line.key_of(declared)
        result[key] = result[key] or {}
      end
    end
  end
  return result
end

-- ---- the parser of a command --------------------------------------------------------------------

---@class bide.cli.Option
---@field name string the long one
---@field takes_argument boolean
---@field declared bide.cli.Declared

---@class bide.cli.Parser
---@field name string "bide run"
---@field summary string
---@field example string
---@field usage_text string?
---@field arguments bide.cli.Declared[]
---@field first_argument bide.cli.Declared? for completion
---@field options table<string, bide.cli.Option> by all their names
---@field sections table the options in sections of the help, in their order and by their titles
---@field section string the title of the current one
---@field codes { further: bide.cli.Row? }? if the help lists the exit codes
---@field inputs table<string, string>? how an unknown option is written as an input
---@field words string[]? of the command line, for messages
---@field whole table? the parser of argparse, once whole_line has made it
local Parser = {}
Parser.__index = Parser

---Declares an argument, which is shown in capitals.
---@return bide.cli.Declared
function Parser:argument(name, description)
  local declared = declare("argument", name:upper(), description):target(name)
  table.insert(self.arguments, declared)
  self.first_argument = self.first_argument or declared
  return declared
end

---Declares an option in the current section.
---@param parser bide.cli.Parser
---@return bide.cli.Declared
local function declare_option(parser, kind, names, description)
  local declared = declare(kind, names, description)
  local known = { name = names:match "%-%-%S+" or names, takes_argument = kind == "option", declared = declared }
  for one in names:gmatch "%S+" do parser.options[one] = known end
  table.insert(parser.sections[parser.section], declared)
  return declared
end

function Parser:option(names, description)
  return declare_option(self, "option", names, description)
end

function Parser:flag(names, description)
  return declare_option(self, "flag", names, description)
end

---Lets a line have one of some options.
function Parser:mutex(...) -- luacheck: ignore self
  local others = { ... }
  for _, declared in ipairs(others) do declared.others = others end
end

function Parser:usage(text)
  self.usage_text = text
end

---Lets the help list the exit codes.
---@param further? bide.cli.Row the meaning of a further code
function Parser:list_codes(further)
  self.codes = { further = further }
end

---Begins or continues a section of the help, in which the options that follow are listed.
function Parser:begin_section(title)
  if not self.sections[title] then
    self.sections[title] = { title = title }
    table.insert(self.sections, self.sections[title])
  end
  self.section = title
end

---Ends the process if an option begins with a dash that is not a hyphen, as texts of word processors and pages have it.
---@param parser bide.cli.Parser
---@param word string
local function refuse_dash(parser, word)
  local name = word:match "^\xE2[\x80\x88][\x90-\x95\x92][-\x80-\xE2]*(%a[%w-]*)"
  local meant = name and (parser.options["--" .. name] and "--" .. name or parser.options["-" .. name] and "-" .. name)
  if meant then parser:error(("%s begins with a dash that is not a hyphen: write %s"):format(word, meant)) end
end

---Returns the words of a command line so that an argument is in the word of its option or in the next one.
---@param arguments string[]
---@return string[]
function Parser:normalize(arguments)
  for _, word in ipairs(arguments) do
    if word == "--" then break end
    refuse_dash(self, word)
  end
  return join_negatives(arguments)
end

---Ends the process if `-h`, behind a recipe, has a value, as psql's option for the host: help would end with 0, as a
---success does.
---@param arguments string[]
function Parser:refuse_host(arguments)
  local has_word = false
  for position, word in ipairs(arguments) do
    if word == "--" then return end
    local following = word == "-h" and (arguments[position + 1] or "-") or word:match "^%-h=?([^=].*)$"
    if has_word and following and following:sub(1, 1) ~= "-" then
      self:error(("-h asks for help, and takes no value, found %q: inputs are KEY=VALUE, here host=%s, and a command is one "
        .. "word in quotes"):format(following, following))
    end
    has_word = has_word or word:sub(1, 1) ~= "-"
  end
end

---Reads a command line by argparse, which finds what is wrong with it, and shows the help.
---@param normal string[]
---@return table result
function Parser:parse_whole(normal)
  return add_empty_lists(self, require("bide.cli.words.whole_line").read(self, normal))
end

---Reads a command line; ends the process if there is a mistake in it, or if it asks for help.
---@param arguments string[]
---@return table result
function Parser:parse(arguments)
  local normal = self:normalize(arguments)
  local result = plain_line.read(self, normal)
  return result and add_empty_lists(self, result) or self:parse_whole(normal)
end

---Ends the process with a mistake of the command line.
---@param message string
function Parser:error(message)
  M.fail(("%s (see %s --help)"):format(require("bide.cli.words.whole_line").with_suggestion(self, message), self.name))
end

---Returns a parser.
---@param name string
---@param summary string
---@param example string
---@return bide.cli.Parser
function M.new(name, summary, example)
  local parser = setmetatable({ name = "bide " .. name, summary = summary, example = example, arguments = {}, options = {},
    sections = {} }, Parser)
  parser:begin_section "Options"
  return parser
end

return M
