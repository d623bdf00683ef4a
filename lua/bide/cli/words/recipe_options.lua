---Options that a recipe declares for its inputs: with `option = "-l --selector"`, `-l app=web` is the word
---`selector=app=web`. They are looked up only if the command line has an option that bide itself does not know. An option
---that is named like an input, as other tools have it, is a mistake that shows the word for the input.

local bide = require "bide"
local chunk = require "bide.recipe.file.chunk"
local core = require "bide.core"
local inputs = require "bide.recipe.input.inputs"
local process = require "bide.cli.ending.process"
local recipe_path = require "bide.recipe.file.path"
local shown = require "bide.text.shown"
local tables = require "bide.text.tables"

local M = {}

---@class bide.cli.DeclaredInput
---@field name string
---@field member bide.InputMember

---Returns a name without the marks that tools write differently: "dbinstanceidentifier" for "--db-instance-identifier".
local function plain(name)
  return (name:gsub("[-_]", ""):lower())
end

---Returns the inputs of a recipe by their options, and by their plain names.
---@param recipe string
---@return table<string, bide.cli.DeclaredInput> by_option
---@return table<string, bide.cli.DeclaredInput> by_name
local function declared(recipe)
  process.restrain_recipes()
  local loaded, by_option, by_name = bide.load(recipe), {}, {}
  for _, waiter in pairs(loaded and loaded.waiters or {}) do
    for name, member in pairs(waiter.inputs or {}) do
      local input = { name = name, member = member }
      by_name[plain(name)] = input
      for option in (member.option or ""):gmatch "%S+" do by_option[option] = input end
    end
  end
  return by_option, by_name
end

---Returns an input as the command line takes it, with the value of an option unless that needs quotes or is a secret.
---@param input bide.cli.DeclaredInput
---@param text string?
---@return string "DBInstanceIdentifier=db1"
local function assignment(input, text)
  local name, member = input.name, input.member
  if member.secret or core.secret.kind(name) then return inputs.from_elsewhere(name) end
  if member.type == "boolean" and text ~= "false" then return name .. "=true" end -- the next word is another one
  return ("%s=%s"):format(name, text and text:find "^[%w_.,:/@%%+-]+$" and text or "VALUE")
end

---The inputs that may be meant by options of curl, psql, wait4x, wait-on and the like, the likelier first.
local names_elsewhere = {
  ["-H"] = { "headers", "host" }, ["--header"] = { "headers" }, ["-X"] = { "method" }, ["--request"] = { "method" },
  ["-I"] = { "method=HEAD" }, ["--head"] = { "method=HEAD" }, ["-A"] = { "headers" }, ["--user-agent"] = { "headers" },
  ["-f"] = { "status=2xx" }, ["--oauth2-bearer"] = { "bearer" }, ["--connect-timeout"] = { "timeout" },
  ["-d"] = { "body", "database" }, ["--data"] = { "body" }, ["--data-raw"] = { "body" }, ["-k"] = { "insecure" },
  ["-u"] = { "user" }, ["-U"] = { "user" }, ["--username"] = { "user" }, ["-x"] = { "proxy" }, ["-L"] = { "follow" },
  ["--location"] = { "follow" }, ["-h"] = { "host" }, ["-p"] = { "port" }, ["-P"] = { "port" }, ["-W"] = { "password" },
  ["--cacert"] = { "ca" }, ["--cert"] = { "certificate" }, ["--key"] = { "key" }, ["--dbname"] = { "database" },
  ["--unix-socket"] = { "unix", "socket" }, ["-c"] = { "query" },
  ["--expect-status-code"] = { "status" }, ["--expect-body-regex"] = { "matches" }, ["--expect-body-json"] = { "path" },
  ["--expect-body-xpath"] = { "xpath" }, ["--expect-body"] = { "expect" }, ["--request-header"] = { "headers" },
  ["--request-body"] = { "body" }, ["--no-redirect"] = { "follow=false" }, ["--insecure-skip-tls-verify"] = { "insecure" },
  ["--connection-timeout"] = { "timeout" }, ["--httpTimeout"] = { "timeout" }, ["--tcpTimeout"] = { "timeout" },
  ["--ca-file"] = { "ca" }, ["--cert-file"] = { "certificate" }, ["--key-file"] = { "key" }, ["--expect-key"] = { "name" },
  ["--expect-table"] = { "query" }, ["--wait-http-header"] = { "headers" },
}

---Returns the input that an option of another tool may mean, as a word of the command line.
---@param by_name table<string, bide.cli.DeclaredInput> by their plain names
---@param option string
---@param text string?
---@return string?
local function word_elsewhere(by_name, option, text)
  for _, name in ipairs(names_elsewhere[option] or { inputs.names_elsewhere[plain(option)] }) do
    local input = by_name[plain(name:match "^[^=]+")]
    if input then return name:find "=" and name or assignment(input, text) end
  end
end

---Returns the input that takes a whole command line, if an option follows its first word: `command ls -l`.
---@param by_name table<string, bide.cli.DeclaredInput>
---@param words string[] the recipe and what follows it, without options
---@param option bide.cli.Given
---@return string?
local function command_of(by_name, words, option)
  local run, program = by_name.run, words[#words]
  if not run or run.member.positional ~= 1 or #words < 2 or program:find "[%s=]" then return nil end
  return shown.word(("%s %s"):format(program, table.concat(option.words, " ")))
end

---Reports whether a recipe is bide's own, which may be loaded before the whole line was read.
---@param recipe string
---@return boolean
function M.is_own(recipe)
  local file = not recipe_path.service_of(recipe) and recipe_path.find(recipe)
  return recipe_path.service_of(recipe) ~= nil or file and recipe_path.is_bundled(file) or false
end

---Reports whether a user's file may declare an option that has a value. The file is not run to find that out, since the line
---may have another mistake, and `--sanbox` would run it outside of the sandbox: its text has to declare the option.
---@param recipe string
---@param given bide.cli.Given
---@return boolean
function M.may_declare(recipe, given)
  local file = recipe_path.find(recipe)
  if not file or #given.words == 1 and not given.words[1]:find "=" or given.name:lower():find "^%-+sand" then return false end
  local name = given.name:gsub("%p", "%%%0")
  for options in (chunk.read(file) or ""):gmatch "option%s*=%s*[\"']([^\"'\n]*)" do
    if (" " .. options .. " "):find("%s" .. name .. "%s") then return true end
  end
  return false
end

---Returns the word for an input of a user's file that is named like an option, as the text of the file has it.
---@param recipe string
---@param given bide.cli.Given
---@return string?
function M.meaning(recipe, given)
  local file = recipe_path.find(recipe)
  local text = file and chunk.read(file) or ""
  for name, at in text:gmatch "([%a_][%w_]*)%s*=%s*(){" do
    if plain(name) == plain(given.name) then
      local member = text:match("^%b{}", at) or ""
      return assignment({ name = name, member = { secret = member:find "secret%s*=%s*true" ~= nil } }, given.words[2])
    end
  end
end

---Returns the options that a recipe declares as words of its input. The others stay as they are.
---@param given bide.cli.Given[] options that bide does not know
---@param recipe string
---@param others string[] the recipe and what follows it, without options
---@return string[] words
---@return table<string, string> meant the inputs that the others are named like, as words
function M.translate(given, recipe, others)
  local by_option, by_name = declared(recipe)
  local words, meant = {}, {}
  for _, option in ipairs(given) do
    local input, text = by_option[option.name], option.words[1]:match "^%-%-[^=]+=(.*)$" or option.words[2]
    if input and not text and input.member.type == "boolean" then text = "true" end
    if input and text then
      words[#words + 1] = ("%s=%s"):format(input.name, text)
    else
      local named = by_name[plain(option.name)]
      meant[option.name] = named and assignment(named, text) or command_of(by_name, others, option)
        or word_elsewhere(by_name, option.name, text)
      local first = option.name:match "^(%-%a)%a+$" -- of several letters, as -fsSL, the parser names one
      if first then meant[first] = command_of(by_name, others, option) or word_elsewhere(by_name, first) end
      tables.append(words, option.words)
    end
  end
  return words, meant
end

return M
