---Prints the page of bide for man, from what makes its help, so that both say the same:
---
---    HOME='~' BIDE_PATH= bide exec src/man.lua >bide.1

local bide = require "bide"
local commands = require "bide.cli.commands"
local exit_code = require "bide.cli.ending.exit_code"
local manual = require "bide.cli.help.manual"
local overview = require "bide.cli.help.overview"
local whole_line = require "bide.cli.words.whole_line"
local recipe_path = require "bide.recipe.file.path"

local function add(format, ...)
  print(format:format(...))
end

-- ---- roff --------------------------------------------------------------------------------------

---The characters that roff would read, or show as others.
local escapes = { ["\\"] = "\\e", ["-"] = "\\-", ["'"] = "\\(aq", ["`"] = "\\(ga", ["^"] = "\\(ha", ["~"] = "\\(ti" }

---Returns a text as roff shows it, which no line of it may take for a request.
local function shown(text)
  text = text:gsub("[\\%-'`^~]", escapes):gsub(utf8.charpattern, function(character)
    return #character > 1 and ("\\[u%04X]"):format(utf8.codepoint(character)) or nil
  end)
  return (text:gsub("^%.", "\\&."):gsub("\n%.", "\n\\&."))
end

---Adds lines that are shown as they are.
local function add_lines(text)
  add(".RS 4\n.nf\n%s\n.fi\n.RE", shown(text))
end

---Adds a term in bold with what it means.
local function add_row(term, meaning)
  add(".TP\n\\fB%s\\fR\n%s", shown(term), shown(meaning))
end

-- ---- the parts ---------------------------------------------------------------------------------

local function add_command(command)
  local page = whole_line.describe(command)
  add(".SS \"%s\"", shown(page.name))
  add("%s", shown(page.description))
  add(".P")
  add_lines(page.usage)
  for _, section in ipairs(page.sections) do
    add(".P\n\\fI%s:\\fR", shown(section.title))
    for _, row in ipairs(section.rows) do add_row(row[1], row[2]) end
  end
  add(".P\n\\fIExample:\\fR")
  add_lines(page.example)
end

local function add_commands()
  add ".SH COMMANDS"
  for _, name in ipairs(commands) do add_row(name, commands.module(name).summary) end
  for _, name in ipairs(commands) do
    local command = commands.module(name)
    for _, new_parser in ipairs(command.help_parsers or { command.new_parser }) do add_command(new_parser()) end
  end
end

local function add_recipes()
  add ".SH RECIPES"
  add("%s", shown "The recipes that come with bide. bide RECIPE --help explains one.")
  for _, name in ipairs(recipe_path.names()) do
    local header = manual.header(assert(bide.load(name)).file)
    add_row(name, manual.first_sentence(table.concat(header, " ")))
  end
end

-- ---- the page ----------------------------------------------------------------------------------

-- Without SOURCE_DATE_EPOCH the page is of today.
add(".TH BIDE 1 \"%s\" \"bide %s\" \"User Commands\"",
  os.date("!%Y-%m-%d", tonumber(os.getenv "SOURCE_DATE_EPOCH") or os.time()), require "bide.version")
add ".nh\n.ad l"
add(".SH NAME\nbide \\- %s", shown(overview.purpose))
add ".SH SYNOPSIS\n.nf"
for _, row in ipairs(overview.usage) do add("%s%s", shown(row[1]), shown(row[2] ~= "" and "   " .. row[2] or "")) end
add ".fi"
add(".SH DESCRIPTION\n%s", shown("bide " .. overview.purpose .. "."))
for _, row in ipairs(overview.more) do add_row(row[1], row[2]) end
add_commands()
add_recipes()
add(".SH \"EXIT STATUS\"\n%s", shown(exit_code.title))
for _, row in ipairs(exit_code.meanings) do add_row(row[1], row[2]) end
add(".P\n%s", shown "Other commands end with 0, with 2 after a mistake, with the codes above if they make a wait, and:")
for _, row in ipairs(exit_code.of_others) do add_row(row[1], row[2]) end
add ".SH ENVIRONMENT"
for _, row in ipairs(overview.environment) do add_row(row[1], row[2]) end
add ".SH FILES"
for _, row in ipairs(overview.files) do add_row(row[1], row[2]) end
add ".SH EXAMPLE"
add_lines(overview.example)
add ".SH \"SEE ALSO\""
add ".BR timeout (1),\n.BR curl (1),\n.BR lua5.4 (1)"
add(".P\n%s", shown "bide help commands, bide help recipes, bide help tutorial and bide help jmespath print the documentation.")
