---bide completion: prints what makes a shell complete commands, recipes, waiters, inputs and options. The shell asks
---`bide completion words -- WORD …` at each completion; the last word is the one to complete.

local bide = require "bide"
local commands = require "bide.cli.commands"
local exit_code = require "bide.cli.ending.exit_code"
local declaration = require "bide.recipe.input.declaration"
local pages = require "bide.cli.help.pages"
local parser = require "bide.cli.words.parser"
local process = require "bide.cli.ending.process"
local recipe_path = require "bide.recipe.file.path"
local shown = require "bide.text.shown"
local spelling = require "bide.recipe.spelling"
local tables = require "bide.text.tables"

local M = { summary = "print a script that completes command lines: bash, zsh or fish" }

-- ---- the scripts -------------------------------------------------------------------------------

---bash cuts words at = and :, so the words are read from the line, and replies lose what is before the last of these.
local scripts = {
  bash = [==[
_bide() {
  local line=${COMP_LINE:0:COMP_POINT} reply word
  local -a words
  read -r -a words <<<"$line"
  case $line in *[[:space:]]) words+=("") ;; esac
  word=${words[${#words[@]} - 1]}
  COMPREPLY=()
  while IFS= read -r reply; do
    [[ $reply == "$word"* ]] && COMPREPLY+=("${reply#"${word%"${word##*[=:]}"}"}")
  done < <("${words[0]}" completion words -- "${words[@]:1}" 2>/dev/null)
  [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
  return 0
}
complete -o default -F _bide bide
]==],
  zsh = [==[
#compdef bide
_bide() {
  local -a replies assignments
  replies=("${(@f)$("$words[1]" completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  assignments=(${(M)replies:#*=})
  replies=(${replies:#*=})
  (( $#assignments )) && compadd -S '' -- $assignments
  (( $#replies )) && compadd -- $replies
  (( $#assignments + $#replies )) || _files
}
if [ "$funcstack[1]" = _bide ]; then _bide "$@"; else compdef _bide bide; fi
]==],
  fish = [==[
function __bide_complete
  set -l words (commandline -opc) (commandline -ct)
  bide completion words -- $words[2..-1] 2>/dev/null
end
complete -c bide -a '(__bide_complete)'
]==],
}

-- ---- candidates --------------------------------------------------------------------------------

local function sorted(list)
  table.sort(list)
  return list
end

---Returns the names of the commands and of the recipes.
local function first_words()
  local words = tables.joined(commands)
  for _, name in ipairs(recipe_path.names()) do
    if not tables.has(commands, name) then words[#words + 1] = name end
  end
  return words
end

---Returns the long options of a parser.
---@param new_parser? fun(): table
local function options_by(new_parser)
  local words, known = {}, {}
  for _, option in pairs(new_parser and new_parser().options or {}) do
    if option.name and not known[option.name] then words[#words + 1], known[option.name] = option.name, true end
  end
  return sorted(words)
end

---Returns the long options of a command.
local function options_of(command)
  return options_by(commands.module(command).new_parser)
end

---The values of options that this machine knows. They raise what is wrong with its files.
---@type table<string, fun(): string[]?>
local of_machine = {
  ["--context"] = function() return require("bide.probe.kubernetes.kubeconfig").contexts() end,
  ["--profile"] = function()
    local profiles = require("bide.aws.profiles").open()
    return profiles and profiles:names()
  end,
}

---@param option string? "--context"
---@return string[]
local function values_of_machine(option)
  local found, values = pcall(of_machine[option] or function() end)
  return found and values or {}
end

---Returns the values of an input as far as they are known.
---@return string[]
local function values_of_input(member)
  return member.values or member.type == "boolean" and { "true", "false" } or values_of_machine(member.option)
end

---Returns values with what is before them in their words.
---@param prefix string "kind="
---@param values string[]
local function prefixed(prefix, values)
  return tables.mapped(values, function(value) return prefix .. value end)
end

---Returns a recipe by its name; nil for a file, which is not run for a completion.
local function recipe_of(name)
  return recipe_path.is_name(name) and bide.load(name) or nil
end

---Returns the inputs of a recipe that may be written as options: `--context`.
---@return table<string, table> members by these options
local function own_options(name)
  local recipe, found = name and recipe_of(name), {}
  for _, waiter in pairs(recipe and recipe.waiters or {}) do
    for _, input in ipairs(waiter.inputs and declaration.names(waiter.inputs) or {}) do
      local member = waiter.inputs[input]
      for option in (member.option or ""):gmatch "%S+" do found[option] = member end
    end
  end
  return found
end

---Returns the waiters of a recipe and the inputs of their operations.
local function recipe_words(name, current)
  local recipe = recipe_of(name)
  local words = {}
  if not recipe then return words end
  local key, known = current:match "^([^=]*)=", {}
  for _, waiter_name in ipairs(recipe.names) do
    local waiter = recipe.waiters[waiter_name]
    words[#words + 1] = recipe.facts and current:find "^%l" and spelling.to_kebab(waiter_name) or waiter_name
    for _, input in ipairs(waiter.inputs and declaration.names(waiter.inputs) or {}) do
      local member = waiter.inputs[input]
      local own = key == input and prefixed(input .. "=", values_of_input(member)) or { input .. "=" }
      if not known[input] then tables.append(words, own) end
      known[input] = true
    end
  end
  return words
end

---Returns the names of recipes that a word may become; those of AWS's services if it begins like one.
---@param current string
local function names_of_recipes(current)
  if not recipe_path.service_of(current) then
    local names = recipe_path.names()
    names[#names + 1] = "aws:"
    return names
  end
  local names = {}
  for _, service in ipairs(require("bide.model.aws.data").names()) do names[#names + 1] = "aws:" .. service end
  return names
end

---Returns the names of what `bide help` explains.
---@param current string
local function names_for_help(current)
  return tables.joined(names_of_recipes(current), commands, pages.names())
end

---Returns the options of a command, by all of their names.
local function known_options(command)
  local new_parser = commands.module(command).new_parser
  return new_parser and new_parser().options or {}
end

---Returns the values of an option; nil for another word, and for an option without an argument.
---@param option string
---@param command string
---@param recipe string?
---@return string[]?
local function values_of_option(option, command, recipe)
  local known, own = known_options(command)[option], own_options(recipe)[option]
  if own then return values_of_input(own) end
  if not known or not known.takes_argument then return nil end
  return known.declared.values or values_of_machine(known.name)
end

---Returns the options that a command and a recipe have, or the values of one: of `--profile=d`, or after `--profile`.
---@param words string[] behind the command
---@param recipe string?
---@return string[]? nil if the last word does not begin like an option, and follows none that takes an argument
local function option_words(words, command, recipe)
  local current, before = words[#words], words[#words - 1]
  local option = current:match "^(%-%-[^=]+)="
  if option then return prefixed(option .. "=", values_of_option(option, command, recipe) or {}) end
  local values = before and before:sub(1, 1) == "-" and values_of_option(before, command, recipe)
  if values then return values end
  if current:sub(1, 1) ~= "-" then return nil end
  local found = options_of(command)
  for own in pairs(own_options(recipe)) do
    if own:sub(1, 2) == "--" then found[#found + 1] = own end
  end
  return sorted(found)
end

---Finds the recipe among the words behind a command: after the last `+`, without options and their arguments.
---@return string? name nil if it is still to be named
local function recipe_among(command, words)
  local options, recipe, position = known_options(command), nil, 1
  while position < #words do
    local word = words[position]
    local takes_argument = options[word] and options[word].takes_argument
    if word == "+" then recipe = nil
    elseif not recipe and word:sub(1, 1) ~= "-" then recipe = word end
    position = position + (takes_argument and 2 or 1)
  end
  return recipe
end

---Completes the words behind `bide aws`, whose service is the recipe of `bide run`.
---@param words string[] behind the command
local function aws_words(words)
  local current, is_packing = words[#words], #words > 1 and words[1] == "pack"
  if is_packing then
    return current:sub(1, 1) == "-" and options_by(require("bide.cli.commands.aws").new_pack_parser) or {}
  end
  local of_option = option_words(words, "run", #words > 1 and "aws:" .. words[1] or nil)
  if of_option then return of_option end
  if #words > 1 then return recipe_words("aws:" .. words[1], current) end
  local names = require("bide.model.aws.data").names()
  names[#names + 1] = "pack"
  return names
end

local names_recipes = { run = true, submit = true, step = true, replay = true, plan = true, advise = true, show = true,
  list = true, help = true }

---Returns the words that the first argument of a command may be, as of `bide journal list`; none where it may be any.
local function actions_of(command)
  local new_parser = commands.module(command).new_parser
  local first = new_parser and new_parser().first_argument
  return first and first.values or {}
end

---@param words string[] behind the program; the last one is to be completed
---@return string[]
local function candidates(words)
  local command, current = words[1], words[#words]
  if #words < 2 then return first_words() end
  local is_command = false
  for _, name in ipairs(commands) do is_command = is_command or name == command end
  if not is_command then
    words, command = table.move(words, 1, #words, 2, { "run" }), "run"
  end
  for position = 1, #words - 1 do
    if words[position] == "--" then return {} end
  end
  if command == "aws" then return aws_words(table.move(words, 2, #words, 1, {})) end
  local behind = table.move(words, 2, #words, 1, {})
  local recipe = names_recipes[command] and recipe_among(command, behind) or nil
  local of_option = option_words(behind, command, recipe)
  if of_option then return of_option end
  if not names_recipes[command] then return #behind == 1 and actions_of(command) or {} end
  if not recipe and command == "help" then return names_for_help(current) end
  if not recipe or command == "list" then return names_of_recipes(current) end
  return command == "help" and {} or recipe_words(recipe, current)
end

---Prints the candidates that begin with the last word.
local function complete(words)
  process.restrain_recipes()
  local current = words[#words] or ""
  local lines = {}
  for _, word in ipairs(candidates(words)) do
    if word:sub(1, #current) == current then lines[#lines + 1] = word end
  end
  if #lines > 0 then shown.print(table.unpack(lines)) end
  return exit_code.SUCCESS
end

-- ---- the command -------------------------------------------------------------------------------

function M.new_parser()
  local command = parser.new("completion", "Print a script that completes command lines of bide.",
    "bide completion bash > ~/.local/share/bash-completion/completions/bide")
  command:usage "Usage: bide completion bash|zsh|fish"
  command:argument("shell", "bash, zsh or fish."):one_of({ "bash", "zsh", "fish" }, "the shell")
  return command
end

function M.main(arguments)
  if arguments[1] == "words" then
    return complete(table.move(arguments, arguments[2] == "--" and 3 or 2, #arguments, 1, {}))
  end
  local options = M.new_parser():parse(arguments)
  return exit_code.unless_reported(exit_code.SUCCESS, shown.print_document(scripts[options.shell]))
end

return M
