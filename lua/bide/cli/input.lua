---The input of an operation from the command line: `KEY=VALUE`, `KEY:=JSON`,
---`--input JSON`, `--input @FILE`.

local core = require "bide.core"
local inputs = require "bide.recipe.inputs"
local option = require "bide.option"

local M = {}

---Returns the file that `--input @FILE` names; nil if the argument is JSON.
---@param whole string? of --input
---@return string?
function M.file(whole)
  return whole and whole:match "^@(.*)$"
end

local function read_whole(text)
  local name = M.file(text)
  if name then
    local handle, mistake = io.open(name, "rb")
    if not handle then return nil, mistake end
    text, mistake = handle:read("a")
    handle:close()
    if not text then return nil, ("%s: %s"):format(name, mistake) end
  end
  local value, mistake = core.json.decode(text)
  if mistake then return nil, tostring(mistake) end
  if type(value) ~= "table" or core.json.is_array(value) then return nil, option.expected("a JSON object", value) end
  return value
end

local function read_member(input, word, declared)
  local key, text = word:match("^([^=]-):=(.*)$")
  if key then
    local value, mistake = core.json.decode(text)
    if mistake then return ("%s: %s"):format(key, tostring(mistake)) end
    input[key] = value
  else
    key, text = word:match("^([^=]*)=(.*)$")
    if key and key ~= "" then
      local mistake
      input[key], mistake = inputs.of_text(declared, key, text)
      if mistake then return mistake end
    end
  end
  if key == "" then return option.expected("KEY=VALUE", word) end
end

---Splits the words after the recipe: the first word without "=" names the waiter.
---@param words string[]
---@return string? waiter
---@return string[] members
---@return string? mistake
function M.split(words)
  local name, members = nil, {}
  for _, word in ipairs(words) do
    if word:find("=", 1, true) then
      members[#members + 1] = word
    elseif name then
      return nil, members, option.expected("KEY=VALUE", word) .. ": the waiter is " .. name
    else
      name = word
    end
  end
  return name, members
end

---@param members string[]
---@param whole string? of --input
---@param declared bide.Inputs? by which texts are read
---@return userdata? document
---@return string? mistake
function M.read(members, whole, declared)
  local input = {}
  if whole then
    local given, mistake = read_whole(whole)
    if not given then return nil, "--input: " .. mistake end
    input = given
  end
  for _, word in ipairs(members) do
    local mistake = read_member(input, word, declared)
    if mistake then return nil, mistake end
  end
  return assert(core.json.document(input))
end

return M
