---Reads a command line by lua-argparse, which finds what is wrong with it, and makes the help. Plain lines need none of it.

local core = require "bide.core"
local exit_code = require "bide.cli.ending.exit_code"
local option = require "bide.text.option"
local process = require "bide.cli.ending.process"
local shown = require "bide.text.shown"

local M = {}

-- ---- mistakes -----------------------------------------------------------------------------------

---Options as other tools call them: kubectl, curl, wait4x, wait-on, wait-for-it, dockerize. Where two tools mean different
---ones, both are named.
local synonyms = {
  ["--timeout"] = "--max-wait", ["--deadline"] = "--max-wait", ["--max-time"] = "--max-wait", ["--wait"] = "--max-wait",
  ["-m"] = "--max-wait", ["-o"] = "--output", ["--retry"] = "--max-attempts", ["--if"] = "--until",
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
  ["--failed"] = "--fail", ["--unless"] = "--fail",
  ["--json"] = "--output", ["--format"] = "--output", ["--junit"] = "--output junit=FILE",
  ["--junit-xml"] = "--output junit=FILE", ["--tap"] = "--output tap", ["--html"] = "--output html=FILE",
  ["--report"] = "--output html=FILE", ["--otlp"] = "--output otlp=URL", ["--once"] = "--max-attempts 1", ["--or"] = "--any",
  ["--debug"] = "--explain", ["--cli-input-json"] = "--input",
}

---Returns the option that a misspelt one may mean; nil if there is none.
local function nearest_option(parser, given)
  local meant = { ["--help"] = "--help" }
  for name in pairs(parser.options) do
    if name:find "^%-%-" then meant[name] = name end
  end
  for synonym, own in pairs(synonyms) do meant[synonym] = meant[synonym] or meant[own:match "^[%a-]+"] and own end
  if #given <= #"--if" then return meant[given] end -- every other name of one or two letters is as near
  return meant[given] or meant[core.names.nearest(given, option.sorted_names(meant))]
end

---Returns the name of an option's argument, as help has it.
---@param known bide.cli.Option
---@return string
local function argument_of(known)
  return known.declared.settings.argname or known.name:match "%a+$":upper()
end

---Returns the first word that is beyond the arguments of a command.
---@param parser bide.cli.Parser
---@return string?
local function surplus(parser)
  local places, position, words = #parser.arguments, 1, parser.words or {}
  while position <= #words do
    local known = parser.options[words[position]]
    if not words[position]:find "^%-." then
      places = places - 1
      if places < 0 then return words[position] end
    end
    position = position + (known and known.takes_argument and 2 or 1)
  end
end

---Returns argparse's message, in bide's own words where they say more, and with its suggestion for an unknown option, which
---may be named like an input.
function M.with_suggestion(parser, message)
  local missing = message:match "^missing argument '(%u+)'"
  if missing then return ("expected %s, found nothing"):format(missing) end
  local bare = message:match "^option '(%-[^'\n]*)' requires an argument"
  if bare and parser.options[bare] then
    return ("%s: expected %s, found nothing"):format(bare, argument_of(parser.options[bare]))
  end
  local word_beyond = message == "too many arguments" and surplus(parser)
  if word_beyond then return "unexpected word: " .. word_beyond end
  local repeated = message:match "^option '(%-[^'\n]*)' must be used at most 1 time"
  if repeated then return ("%s is given twice"):format(repeated) end
  local given = message:match "^unknown option '(%-[^'\n]*)'"
  if not given then return message end
  local is_letter = #given == #"-x"
  local word = parser.inputs and parser.inputs[given]
  local is_input = word and (is_letter or not synonyms[given])
  if is_input then return ("unknown option '%s': inputs are KEY=VALUE, here %s"):format(given, word) end
  local near = nearest_option(parser, given)
  return ("unknown option '%s'%s%s"):format(given, near and (", did you mean %s?"):format(near) or "",
    near and word and (" The input is %s"):format(word) or "")
end

---The columns of help that is not on a terminal.
local COLUMNS = 80

---The most options that need no sections.
local FEW = 12

-- ---- what argparse makes ------------------------------------------------------------------------

local argparse_of, make_section

---Begins the names of an option at one column. argparse lets them end at one.
---@param element table an option of argparse
local function align_names(element)
  local lines_of = element._get_label_lines
  function element._get_label_lines(self)
    local lines = lines_of(self)
    for position, line in ipairs(lines) do lines[position] = line:gsub("^ +", "") end
    return lines
  end
end

---Lets argparse make an argument or an option, with those of which a line may have one. It may be given once, unless it has
---a count.
---@param parser bide.cli.Parser
---@param declared bide.cli.Declared
---@return table element of argparse
local function make(parser, declared)
  if declared.element then return declared.element end
  local whole = argparse_of(parser)
  local element = whole[declared.kind](whole, declared.names, declared.description)
  if declared.kind ~= "argument" then element:overwrite(false) end
  if declared.kind == "option" then align_names(element) end
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
---@return table<bide.cli.Declared, true> given
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
        parser:error(("%s: expected %s, found %s"):format(known.name, argument_of(known),
          argument == "" and "an empty text" or "blanks alone"))
      end
    end
    position = position + 1
  end
end

---Prints the help of a command: many options in their sections, and no line wider than the terminal.
---@param parser bide.cli.Parser
local function print_help(parser)
  local whole, count = argparse_of(parser), 0
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

---Returns a row for each element but those that no help shows.
---@param elements table[] of argparse
---@return bide.cli.Row[]
local function rows_of(elements)
  local rows = {}
  for _, element in ipairs(elements) do
    local labels = table.concat(element:_get_label_lines(), " "):gsub("^%s+", ""):gsub("%s+", " ")
    if not element._hidden then rows[#rows + 1] = { labels, element:_get_description() } end
  end
  return rows
end

---Returns what the help of a command says.
---@param parser bide.cli.Parser
---@return bide.cli.HelpPage
function M.describe(parser)
  local whole, options = argparse_of(parser), {}
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

---Returns the parser of argparse, which has what was made of the arguments and options.
---@param parser bide.cli.Parser
---@return table
function argparse_of(parser)
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

---Reads a command line; ends the process if there is a mistake in it, or if it asks for help.
---@param parser bide.cli.Parser
---@param normal string[] the words, normalized
---@return table result
function M.read(parser, normal)
  parser.words = normal
  make_given(parser, normal)
  refuse_empty(parser, normal)
  return argparse_of(parser):parse(normal)
end

M.argparse_of = argparse_of

return M
