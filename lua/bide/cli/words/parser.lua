---The command line of one command: lua-argparse with bide's exit code for usage.

local core = require "bide.core"
local process = require "bide.cli.ending.process"
local exit_code = require "bide.cli.ending.exit_code"
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
local function raise(message)
  if attempts > 0 then error(setmetatable({ text = with_place(message) }, Mistake), 0) end
end

---Calls a function that ends the process if there is a mistake in what it reads, and returns the mistake in place of that.
---@generic T
---@param f fun(): T
---@return T? result
---@return string? mistake
function M.attempt(f)
  attempts = attempts + 1
  local ok, result = pcall(f)
  attempts = attempts - 1
  if ok then return result end
  if getmetatable(result) == Mistake then return nil, result.text end
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
  raise(message)
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

---Options as other tools call them: kubectl, curl, wait4x, wait-on, wait-for-it, dockerize. Where two tools mean different
---ones, both are named.
local synonyms = {
  ["--timeout"] = "--max-wait", ["--deadline"] = "--max-wait", ["--max-time"] = "--max-wait", ["--wait"] = "--max-wait",
  ["--delay"] = "--interval, or --initial-delay", ["-d"] = "--initial-delay",
  ["--every"] = "--interval", ["--sleep"] = "--interval", ["--period"] = "--interval",
  ["--retries"] = "--max-attempts", ["--attempts"] = "--max-attempts", ["--tries"] = "--max-attempts",
  ["--expect"] = "--until", ["--for"] = "--until", ["--condition"] = "--until", ["--not"] = "--invert",
  ["--consecutive"] = "--hold", ["--success-threshold"] = "--hold", ["--successes"] = "--hold", ["--rise"] = "--hold",
  ["--times"] = "--hold", ["--stable"] = "--hold", ["--stable-for"] = "--hold", ["--window"] = "--hold",
  ["-t"] = "--max-wait", ["--invert-check"] = "--invert", ["--reverse"] = "--invert", ["-r"] = "--invert",
  ["--simultaneous"] = "--jobs", ["-w"] = "--hold", ["-i"] = "--interval", ["--expect-header"] = "--until",
  ["--wait-retry-interval"] = "--interval", ["--backoff-exponential-max-interval"] = "--max-delay", ["--strict"] = "--max-wait",
  ["--backoff-policy"] = "--max-delay", ["-s"] = "--silent, or --jobs",
  ["-l"] = "--verbose", ["--log"] = "--verbose", ["--log-level"] = "--verbose",
  ["--json"] = "--output", ["--format"] = "--output", ["--debug"] = "--explain", ["--cli-input-json"] = "--input",
}

---Returns the option that a misspelt one may mean; nil if there is none.
local function nearest_option(parser, given)
  local meant, names = {}, {}
  for name in pairs(parser.options) do
    if name:find "^%-%-" then meant[name] = name end
  end
  for synonym, own in pairs(synonyms) do meant[synonym] = meant[synonym] or meant[own:match "^[%a-]+"] and own end
  for name in pairs(meant) do names[#names + 1] = name end
  if #given == #"-x" then return meant[given] end -- every other letter is as near
  return meant[given] or meant[core.names.nearest(given, names)]
end

---Returns argparse's message, with bide's own suggestion for an unknown option, which may be named like an input.
local function with_suggestion(parser, message)
  local repeated = message:match "^option '(%-[^'\n]*)' must be used at most 1 time"
  if repeated then return ("%s is given twice"):format(repeated) end
  local given = message:match "^unknown option '(%-[^'\n]*)'"
  if not given then return message end
  local is_letter = #given == #"-x"
  local word = (is_letter or not synonyms[given]) and parser.inputs and parser.inputs[given]
  if word then return ("unknown option '%s': inputs are KEY=VALUE, here %s"):format(given, word) end
  local near = nearest_option(parser, given)
  return ("unknown option '%s'%s"):format(given, near and (", did you mean %s?"):format(near) or "")
end

---The columns of help that is not on a terminal.
local COLUMNS = 80

---The most options that need no sections.
local FEW = 12

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
---@field element table? of argparse, once it was made
local Declared = {}
Declared.__index = Declared

for _, setter in ipairs { "action", "args", "argname", "convert", "count", "default", "hidden", "target" } do
  Declared[setter] = function(self, value)
    self.settings[setter] = value
    return self
  end
end

---@return bide.cli.Declared
local function declare(kind, names, description)
  return setmetatable({ kind = kind, names = names, description = description, settings = {} }, Declared)
end

local make_section

---Lets argparse make an argument or an option, with those of which a line may have one. It may be given once, unless it has
---a count.
---@param parser bide.cli.Parser
---@param declared bide.cli.Declared
---@return table element of argparse
local function make(parser, declared)
  if declared.element then return declared.element end
  local whole = M.argparse_of(parser)
  local element = whole[declared.kind](whole, declared.names, declared.description)
  if declared.kind ~= "argument" then element:overwrite(false) end
  for setter, value in pairs(declared.settings) do element[setter](element, value) end
  declared.element = element
  if not declared.others or declared.is_excluded then return element end
  for _, other in ipairs(declared.others) do other.is_excluded = true end -- before they are made, which makes the others
  whole:mutex(table.unpack(make_section(parser, declared.others)))
  return element
end

---Makes the options of a section, or of another list.
---@return table[] elements of argparse
function make_section(parser, section)
  local elements = {}
  for position, declared in ipairs(section) do elements[position] = make(parser, declared) end
  return elements
end

---Returns the options that a line has: `--name`, `--name=value`, `-q`, or `-qv`.
---@param arguments string[] normalized
---@return table<bide.cli.DeclaredOption, true> given
---@return boolean asks_help
local function given_on(parser, arguments)
  local given, asks_help = {}, false
  local function take(name)
    local known = parser.options[name]
    if known then given[known.declared] = true end
    asks_help = asks_help or name == "--help" or name == "-h"
  end
  for _, word in ipairs(arguments) do
    take(word:match "^%-%-[^=]+" or "")
    for letter in (word:match "^%-(%a.*)" or ""):gmatch "%a" do take("-" .. letter) end
  end
  return given, asks_help
end

---Makes the options that a line has, and those that have a default; all for help, which lists them.
---@param arguments string[] normalized
local function make_given(parser, arguments)
  local given, asks_help = given_on(parser, arguments)
  for _, section in ipairs(parser.sections) do
    for _, declared in ipairs(section) do
      if asks_help or declared.settings.default ~= nil or given[declared] then make(parser, declared) end
    end
  end
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

---Ends the process if the argument of an option is empty, as that of a variable which is not set.
---@param parser table
---@param arguments string[] normalized
local function refuse_empty(parser, arguments)
  local position = 1
  while position <= #arguments do
    local word = arguments[position]
    local name, argument = word:match "^(%-%-[^=]+)=(.*)$"
    local known = parser.options[name or word]
    if known and known.takes_argument then
      if not name then position, argument = position + 1, arguments[position + 1] end
      if argument and not argument:find "%S" then
        local wanted = known.declared.element._argname or known.name:match "%a+$":upper()
        parser:error(("%s: expected %s, found %s"):format(known.name, wanted,
          argument == "" and "an empty text" or "blanks alone"))
      end
    end
    position = position + 1
  end
end

---Prints the help of a command: many options in their sections, and no line wider than the terminal.
---@param parser bide.cli.Parser
local function print_help(parser)
  local whole, count = M.argparse_of(parser), 0
  for _, section in ipairs(parser.sections) do count = count + #section end
  for _, section in ipairs(count > FEW and parser.sections or {}) do
    whole:group(section.title, table.unpack(make_section(parser, section)))
  end
  if parser.codes then
    whole:epilog(("%s\n\nExample:\n  %s"):format(table.concat(exit_code.lines(parser.codes.further), "\n"), parser.example))
  end
  whole:help_max_width(core.process.window(1) or COLUMNS)
  shown.print_document(whole:get_help(), "\n")
end

---The content of a help, for another form of it.
---@class bide.cli.HelpPage
---@field name string "bide run"
---@field description string
---@field usage string lines
---@field sections { title: string, rows: bide.cli.Row[] }[] the arguments, then the options
---@field example string

---@param elements table[] of argparse
---@return bide.cli.Row[]
local function rows_of(elements)
  local rows = {}
  for position, element in ipairs(elements) do
    local labels = table.concat(element:_get_label_lines(), " "):gsub("^%s+", ""):gsub("%s+", " ")
    rows[position] = { labels, element:_get_description() }
  end
  return rows
end

---Returns what the help of a command says.
---@param parser bide.cli.Parser
---@return bide.cli.HelpPage
function M.describe(parser)
  local whole, options = M.argparse_of(parser), {}
  for position, section in ipairs(parser.sections) do options[position] = make_section(parser, section) end
  local page = { name = parser.name, description = parser.summary, usage = whole:get_usage():gsub("^Usage: ", "")
    :gsub("\n       ", "\n"), example = parser.example, sections = {} }
  local function add(title, elements)
    if #elements > 0 then table.insert(page.sections, { title = title, rows = rows_of(elements) }) end
  end
  add("Arguments", make_section(parser, parser.arguments))
  for position, section in ipairs(parser.sections) do add(section.title, options[position]) end
  return page
end

-- ---- the parser of a command --------------------------------------------------------------------

---@class bide.cli.Parser
---@field name string "bide run"
---@field summary string
---@field example string
---@field usage_text string?
---@field arguments bide.cli.Declared[]
---@field first_argument bide.cli.Declared? for completion
---@field options table<string, { name: string, takes_argument: boolean, declared: bide.cli.Declared }> by all their names; each
---has the long one
---@field sections table the options in sections of the help, in their order and by their titles
---@field section string the title of the current one
---@field codes { further: bide.cli.Row? }? if the help lists the exit codes
---@field inputs table<string, string>? how an unknown option is written as an input
---@field whole table? the parser of argparse, once it was needed
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

---Returns the words of a command line so that an argument is in the word of its option or in the next one.
---@param arguments string[]
---@return string[]
function Parser:normalize(arguments) -- luacheck: ignore self
  return join_negatives(arguments)
end

---Reads a command line by argparse, which finds what is wrong with it, and shows the help.
---@param normal string[]
---@return table result
function Parser:parse_whole(normal)
  make_given(self, normal)
  refuse_empty(self, normal)
  return add_empty_lists(self, M.argparse_of(self):parse(normal))
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
  M.fail(("%s (see %s --help)"):format(with_suggestion(self, message), self.name))
end

---Returns the parser of argparse, which has what was made of the arguments and options.
---@param parser bide.cli.Parser
---@return table
function M.argparse_of(parser)
  if parser.whole then return parser.whole end
  local whole = require "argparse"(parser.name, parser.summary):epilog("Example:\n  " .. parser.example)
  parser.whole = whole
  whole:add_help { action = function()
    print_help(parser)
    process.exit(exit_code.SUCCESS)
  end }
  if parser.usage_text then whole:usage(parser.usage_text) end
  function whole.error(_, message) parser:error(message) end
  make_section(parser, parser.arguments)
  return whole
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
