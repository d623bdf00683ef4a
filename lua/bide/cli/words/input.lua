---The words of the command line behind a recipe, and the input of an operation from them: a waiter's name, `KEY=VALUE`,
---`KEY:=JSON`, positional inputs, `--input JSON`, `--input @FILE`.

local core = require "bide.core"
local declaration = require "bide.recipe.input.declaration"
local inputs = require "bide.recipe.input.inputs"
local named_secret = require "bide.recipe.input.named_secret"
local option = require "bide.text.option"
local secret = require "bide.text.secret"
local spelling = require "bide.recipe.spelling"
local tables = require "bide.text.tables"
local uv = require "luv"
local whole_file = require "bide.text.whole_file"

local M = {}

---The options of reading JSON that a person wrote.
local written = { unique = true }

-- ---- the words ---------------------------------------------------------------------------------

---@class bide.cli.Words
---@field waiter string? the name of the waiter
---@field members bide.cli.InputWord[] KEY=VALUE and KEY:=JSON, in their order
---@field others string[] the positional inputs, in their order

---@class bide.cli.InputWord
---@field key string
---@field text string
---@field is_json boolean

---@return bide.cli.InputWord?
local function member_of(word)
  local key, mark, text = word:match "^([%a_][%w_.-]*)(:?=)(.*)$"
  return key and { key = key, text = text, is_json = mark == ":=" }
end

---Reports whether at most two insertions, deletions, replacements or swaps of neighbours turn one word into the other.
local function is_within_two_edits(a, b)
  if math.abs(#a - #b) > 2 then return false end
  local before, last = {}, {}
  for j = 0, #b do last[j] = j end
  for i = 1, #a do
    local row = { [0] = i }
    for j = 1, #b do
      local cost = a:byte(i) == b:byte(j) and 0 or 1
      row[j] = math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + cost)
      local is_swap = i > 1 and j > 1 and a:byte(i) == b:byte(j - 1) and a:byte(i - 1) == b:byte(j)
      if is_swap then row[j] = math.min(row[j], before[j - 2] + 1) end
    end
    before, last = last, row
  end
  return last[#b] <= 2
end

---Reports whether a word looks like the name of a waiter.
---@param word string
function M.is_name(word)
  return word:find "^%u[%u%l%d]*$" ~= nil
end

---@param may_be_spelled boolean whether the word may be a name without its capitals: `port-open`
---@return string? name of a waiter that the word misspells, or names a second time
local function name_near(word, names, may_be_spelled)
  if not M.is_name(word) then return may_be_spelled and spelling.find(word, names) or nil end
  local near
  for _, name in ipairs(names) do
    if name == word then return name end
    near = near or is_within_two_edits(word, name) and name
  end
  return near
end

---Returns the mistake of a word that has no place.
---@param word string
---@param reason string
---@return string mistake
function M.unexpected(word, reason)
  return ("%s: %s"):format(option.expected("KEY=VALUE", word), reason)
end

---@return string? mistake
local function add_word(words, word, names)
  local name = name_near(word, names, not words.waiter)
  if word == "=" or word == ":=" then return M.unexpected(word, "it is one word, without blanks") end
  if name == word and not words.waiter then
    words.waiter = word
  elseif name == word then
    return M.unexpected(word, "the waiter is " .. words.waiter)
  elseif name then
    return ("no waiter is called %q; did you mean %q?"):format(word, name)
  else
    table.insert(words.others, word)
  end
end

---Sorts the words of the command line by what they are.
---@param list string[]
---@param names string[] of the waiters of the recipe
---@return bide.cli.Words?
---@return string? mistake
function M.classify(list, names)
  local words = { members = {}, others = {} }
  for _, word in ipairs(list) do
    local member = member_of(word)
    local mistake
    if member then table.insert(words.members, member) else mistake = add_word(words, word, names) end
    if mistake then return nil, mistake end
  end
  return words
end

-- ---- files -------------------------------------------------------------------------------------

---Returns the file that `--input @FILE` names; nil if the argument is JSON.
---@param whole string? of --input
---@return string?
local function file_of(whole)
  return whole and whole:match "^@(.*)$"
end

---Returns the files that an input is read from.
---@param options table of the command line: words, input
---@return string[]
function M.files(options)
  local files = { file_of(options.input) }
  for _, word in ipairs(options.words or {}) do
    local member = member_of(word)
    files[#files + 1] = member and not member.is_json and member.text:match "^@file:(.*)$" or nil
  end
  return files
end

---Reads a file; `-` is standard input.
---@param limit integer
---@return string? text
---@return string? mistake
local function read_file(name, limit)
  if name ~= "-" then return whole_file.read(name, limit) end
  local text, mistake = whole_file.rest(io.stdin, limit)
  return text, mistake and "standard input: " .. mistake
end

-- ---- the input ---------------------------------------------------------------------------------

---Returns how to give what cannot be read as JSON.
---@param text string
---@param other string what takes a text
---@return string
local function hint_of_json(text, other)
  return text:find "^%s*[{%['\"@]" and require "bide.text.json_hint"(text) or "; " .. other
end

local function read_whole(text)
  local name = file_of(text)
  if name then
    local read, mistake = read_file(name, whole_file.DOCUMENT)
    if not read then return nil, mistake end
    text = read
  end
  local value, failure = core.json.decode(text, written)
  if failure then
    return nil, tostring(failure) .. (name and "" or hint_of_json(text, "a file is read by --input @FILE"))
  end
  if not tables.is_object(value) then return nil, option.expected("a JSON object", value) end
  local mistake = require "bide.text.rounded"(text)
  return not mistake and value or nil, mistake
end

---Readers of `@env:NAME` and `@file:PATH`.
local sources = {
  env = function(name)
    local text = os.getenv(name)
    return text, not text and ("the environment variable %q is not set"):format(name) or nil
  end,
  file = function(name)
    local text, mistake = read_file(name, whole_file.VALUE)
    return text and (text:gsub("\r?\n$", "")), mistake
  end,
}

---Reads a text from the environment or a file, a secret.
---@param word string
---@return string? text
---@return string? mistake; nil as well if the word is not of the form @env:NAME or @file:PATH
function M.read_elsewhere(word)
  local source, name = word:match "^@(%l+):(.*)$"
  if not sources[source] then return nil end
  local text, mistake = sources[source](name)
  if text then secret.remember(text) end
  return text, mistake
end

---Returns the mistake of a text such as `@evn:NAME`, which is nearly the name of a source, or `@FILE`, as curl has it.
---@param word bide.cli.InputWord
---@return string? mistake
local function mistake_of_source(word)
  local file = word.text:match "^@([^:]+)$"
  if file and uv.fs_access(file, "R") then
    return ("%s: expected @env:NAME or @file:PATH, found @%s, did you mean @file:%s? %s:=JSON sets any text"):format(word.key,
      file, file, word.key)
  end
  local source = word.text:match "^@(%a+):."
  local near = source and core.names.nearest(source:lower(), { "env", "file", "secret" })
  if not near then return nil end
  return ("%s: expected @env:NAME or @file:PATH, found @%s:, did you mean @%s:? %s:=JSON sets any text"):format(word.key,
    source, near, word.key)
end

---Reads the text of a member. One that comes from elsewhere is a secret.
---@param word bide.cli.InputWord
---@return string? text
---@return boolean is_hidden
---@return string? mistake
local function text_of(word)
  local text, mistake = M.read_elsewhere(word.text)
  if mistake then return nil, true, ("%s: %s"):format(word.key, mistake) end
  local problem = not text and mistake_of_source(word)
  if problem then return nil, true, problem end
  return text or word.text, text ~= nil
end

---The input of the command line. It is not complete: what is required may be missing.
---@class bide.cli.InputReading
---@field declared bide.Inputs? by which texts are read
---@field find_takers bide.FindTakers?
---@field input table<string, any>
---@field document userdata? the same, once all of it is read
---@field hidden string[] the names of members whose values came from elsewhere

---@param reading bide.cli.InputReading
---@param word bide.cli.InputWord
---@return string? mistake
local function read_json(reading, word)
  local value, failure = core.json.decode(word.text, written)
  if failure then
    return ("%s: %s%s"):format(word.key, tostring(failure), hint_of_json(word.text, ("a text is %s=TEXT"):format(word.key)))
  end
  local mistake = require "bide.text.rounded"(word.text)
  if mistake then return ("%s: %s"):format(word.key, mistake) end
  reading.input[word.key] = value
end

---@return string? mistake
local function read_text(reading, key, text, is_hidden)
  local value, mistake = inputs.of_text(reading.declared, key, text, is_hidden, reading.find_takers)
  if mistake then return mistake end
  reading.input[key] = value
  if is_hidden then table.insert(reading.hidden, key) end
end

---Reads `KEY=@secret:NAME`. The declaration of the input is checked with a substitute for the value.
---@return string? mistake
local function read_secret(reading, key, name)
  local mistake = named_secret.mistake_of_name(name)
  if mistake then return ("%s: %s"):format(key, mistake) end
  reading.input[key] = named_secret.of(name)
end

---@return string? mistake
local function read_member(reading, word)
  if word.is_json then return read_json(reading, word) end
  local secret_name = named_secret.name_in(word.text)
  if secret_name then return read_secret(reading, word.key, secret_name) end
  local text, is_hidden, mistake = text_of(word)
  if not text then return mistake end
  return read_text(reading, word.key, text, is_hidden)
end

---Other meanings of a word.
local OTHER_WORDS = "quote a value with blanks, put a COMMAND after --, another wait after +"

---Units that are written apart from their number.
local units = tables.set { "ms", "s", "sec", "secs", "second", "seconds", "m", "min", "mins", "minute", "minutes", "h", "hour",
  "hours" }

---Returns what a person may have meant by words that do not fit: `KEY VALUE` in place of `KEY=VALUE`, or another thing.
---@param declared bide.Inputs?
---@param words string[]
---@return string
local function other_meaning(declared, words)
  for position, word in ipairs(words) do
    local name, text = word:match "^([%a_][%w_]*):?(.*)$"
    local member = declared and declared[name]
    if member and (text == "" or word:find ":") then
      local value = text ~= "" and text or member.type == "boolean" and "true" or "VALUE"
      local is_secret = member.secret or core.secret.kind(name)
      return "inputs are KEY=VALUE, here " .. (is_secret and inputs.from_elsewhere(name) or name .. "=" .. value)
    end
    if word == "strict" then return "the option is --sandbox=strict" end
    if position > 1 and (units[word] or word:find "^%d+[hms]$") then return "a duration is one word, such as 1h30m" end
  end
  return OTHER_WORDS
end

---Returns why a word has no place.
---@param names string[] of the positional inputs
---@param meaning string
---@return string
local function reason_of_surplus(names, meaning)
  return ("%s can be given without a name; %s"):format(#names == 0 and "no input" or "only " .. table.concat(names, ", "),
    meaning)
end

---Returns the mistake of an input that is given a second time.
---@param reading bide.cli.InputReading
---@param is_of_whole table<string, true> the inputs of --input
---@return string? mistake
local function repeated(reading, is_of_whole, key)
  if reading.input[key] == nil then return nil end
  return ("%s is given twice%s"):format(key, is_of_whole[key] and ", here and in --input" or "")
end

---Reads the words that a last positional input takes if it is a list: all that are left.
---@param name string of the input
---@param words string[]
---@param first integer the position of the first one
---@return string? mistake
local function read_rest(reading, name, words, first)
  local list = core.json.array {}
  for position = first, #words do
    local mistake = read_text(reading, name, words[position], false)
    if mistake then return mistake end
    tables.append(list, reading.input[name])
  end
  reading.input[name] = list
end

---Reads the words without a name.
---@param words string[]
---@return string? mistake
local function read_others(reading, words)
  local names = declaration.positional(reading.declared)
  for position, word in ipairs(words) do
    local name = names[position]
    if not name then return M.unexpected(word, reason_of_surplus(names, other_meaning(reading.declared, words))) end
    if reading.input[name] ~= nil then return M.unexpected(word, name .. " is given already") end
    if declaration.takes_rest(reading.declared, name) then return read_rest(reading, name, words, position) end
    local mistake = read_text(reading, name, word, false)
    if mistake then return position == 1 and mistake or ("%s; %s"):format(mistake, other_meaning(reading.declared, words)) end
  end
end

---@return string? mistake
local function read_members(reading, words)
  local is_of_whole = {}
  for name in pairs(reading.input) do is_of_whole[name] = true end
  for _, word in ipairs(words.members) do
    local mistake = repeated(reading, is_of_whole, word.key) or read_member(reading, word)
    if mistake then return mistake end
  end
  return read_others(reading, words.others)
end

---@param words bide.cli.Words
---@param whole string? of --input
---@param declared bide.Inputs? by which texts are read
---@param find_takers? bide.FindTakers
---@return bide.cli.InputReading?
---@return string? mistake
function M.read(words, whole, declared, find_takers)
  local reading = { declared = declared, find_takers = find_takers, input = {}, hidden = {} }
  if whole then
    local given, mistake = read_whole(whole)
    if not given then return nil, "--input: " .. mistake end
    reading.input = given
  end
  local mistake = read_members(reading, words)
  if mistake then return nil, mistake end
  reading.document = assert(core.json.document(reading.input))
  return reading
end

return M
