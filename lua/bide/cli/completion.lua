---bide completion: prints what makes a shell complete commands, recipes, waiters, inputs and options. The shell asks
---`bide completion words -- WORD …` at each completion; the last word is the one to complete.

local bide = require "bide"
local commands = require "bide.cli.commands"
local exit_code = require "bide.cli.exit_code"
local inputs = require "bide.recipe.inputs"
local pages = require "bide.cli.pages"
local parser = require "bide.cli.parser"
local process = require "bide.cli.process"
local recipe_path = require "bide.recipe.path"
local shown = require "bide.text.shown"
local spelling = require "bide.recipe.spelling"

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
  local words, known = table.move(commands, 1, #commands, 1, {}), {}
  for _, name in ipairs(commands) do known[name] = true end
  for _, name in ipairs(recipe_path.names()) do
    if not known[name] then words[#words + 1] = name end
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

---Returns the values of an input as far as they are known, with its name.
local function assignments(name, member)
  local words, values = {}, member.values or member.type == "boolean" and { "true", "false" } or {}
  for position, value in ipairs(values) do words[position] = ("%s=%s"):format(name, value) end
  return words
end

---Returns the waiters of a recipe and the inputs of their operations. The file of a recipe is not run for a completion.
local function recipe_words(name, current)
  local recipe = recipe_path.is_name(name) and bide.load(name)
  local words = {}
  if not recipe then return words end
  local key, known = current:match "^([^=]*)=", {}
  for _, waiter_name in ipairs(recipe.names) do
    local waiter = recipe.waiters[waiter_name]
    words[#words + 1] = recipe.facts and current:find "^%l" and spelling.to_kebab(waiter_name) or waiter_name
    for _, input in ipairs(waiter.inputs and inputs.names(waiter.inputs) or {}) do
      local member = waiter.inputs[input]
      local own = key == input and assignments(input, member) or { input .. "=" }
      if not known[input] then table.move(own, 1, #own, #words + 1, words) end
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
  local names = names_of_recipes(current)
  for _, list in ipairs { commands, pages.names() } do table.move(list, 1, #list, #names + 1, names) end
  return names
end

---Completes the words behind `bide aws`, whose service is the recipe of `bide run`.
---@param words string[] behind the command
local function aws_words(words)
  local current, is_packing = words[#words], #words > 1 and words[1] == "pack"
  if current:sub(1, 1) == "-" then
    return is_packing and options_by(require("bide.cli.aws").new_pack_parser) or options_of "run"
  end
  if is_packing then return {} end
  if #words > 1 then return recipe_words("aws:" .. words[1], current) end
  local names = require("bide.model.aws.data").names()
  names[#names + 1] = "pack"
  return names
end

---Finds the recipe among the words behind a command: after the last `+`, without options and their arguments.
---@return string? name nil if it is still to be named
local function recipe_among(command, words)
  local new_parser = commands.module(command).new_parser
  local options, recipe, position = new_parser and new_parser().options or {}, nil, 1
  while position < #words do
    local word = words[position]
    local takes_argument = options[word] and options[word].takes_argument
    if word == "+" then recipe = nil
    elseif not recipe and word:sub(1, 1) ~= "-" then recipe = word end
    position = position + (takes_argument and 2 or 1)
  end
  return recipe
end

local names_recipes = { run = true, replay = true, plan = true, show = true, list = true, help = true }

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
  for _, word in ipairs(words) do
    if word == "--" then return {} end
  end
  if command == "aws" then return aws_words(table.move(words, 2, #words, 1, {})) end
  if current:sub(1, 1) == "-" then return options_of(command) end
  if command == "completion" then return { "bash", "zsh", "fish" } end
  if not names_recipes[command] then return {} end
  local recipe = recipe_among(command, table.move(words, 2, #words, 1, {}))
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

---@return table parser
function M.new_parser()
  local command = parser.new("completion", "Print a script that completes command lines of bide.",
    "bide completion bash > ~/.local/share/bash-completion/completions/bide")
  command:usage "Usage: bide completion bash|zsh|fish"
  parser.restrict(command:argument("shell", "bash, zsh or fish."), "the shell", { "bash", "zsh", "fish" })
  return command
end

---@param arguments string[]
---@return integer code
function M.main(arguments)
  if arguments[1] == "words" then
    return complete(table.move(arguments, arguments[2] == "--" and 3 or 2, #arguments, 1, {}))
  end
  local options = M.new_parser():parse(arguments)
  return exit_code.unless_reported(exit_code.SUCCESS, shown.print_document(scripts[options.shell]))
end

return M
