---Reads a command line that is plain: it has no mistake, and each of its words can mean one thing alone. argparse reads all
---others, says what is wrong with them, and shows the help: loading it and letting it read took a twenty-fifth of a short wait.

local M = {}

---Returns the name by which a result has the value of an argument or of an option.
---@param declared bide.cli.Declared
---@return string
function M.key_of(declared)
  return declared.settings.target or (declared.names:match("%-%-(%S+)"):gsub("%-", "_"))
end

---@class bide.cli.PlainReading
---@field parser bide.cli.Parser
---@field result table
---@field given table<bide.cli.Declared, true>
---@field actions function[] of options, which run after all words were read
---@field position integer of the argument that the next word belongs to

---Returns the value of a text; nil if it has a mistake.
---@param declared bide.cli.Declared
---@param text string
local function value_of(declared, text)
  local convert = declared.settings.convert
  if not convert then return text end
  return (convert(text))
end

---Reports whether a line may not have an option, after what it has.
---@param reading bide.cli.PlainReading
---@param declared bide.cli.Declared
local function is_refused(reading, declared)
  if reading.given[declared] and declared.settings.count ~= "*" then return true end
  for _, other in ipairs(declared.others or {}) do
    if other ~= declared and reading.given[other] then return true end
  end
  return false
end

---Takes an option.
---@param reading bide.cli.PlainReading
---@param declared bide.cli.Declared
---@param text string? its argument
---@return boolean is_plain
local function take_option(reading, declared, text)
  local settings, result, key = declared.settings, reading.result, M.key_of(declared)
  if settings.args or settings.count and settings.count ~= "*" or is_refused(reading, declared) then return false end
  reading.given[declared] = true
  local value = true
  if text then value = value_of(declared, text) end
  if value == nil then return false end
  if settings.action then
    table.insert(reading.actions, function() settings.action(result, key, text and value or nil, false) end)
  elseif settings.count then
    result[key] = result[key] or {}
    table.insert(result[key], value)
  else
    result[key] = value
  end
  return true
end

---Takes a word of an argument.
---@param reading bide.cli.PlainReading
---@param word string
---@return boolean is_plain
local function take_word(reading, word)
  local declared = reading.parser.arguments[reading.position]
  if not declared then return false end
  local value, key, args = value_of(declared, word), M.key_of(declared), declared.settings.args
  if value == nil then return false end
  if args == "*" or args == "+" then
    table.insert(reading.result[key], value)
  else
    reading.result[key], reading.position = value, reading.position + 1
  end
  return true
end

---@param reading bide.cli.PlainReading
---@param words string[]
---@param position integer of an option
---@return integer? next nil if it is not plain
local function read_option(reading, words, position)
  local word = words[position]
  local name, text = word:match "^(%-%-[^=]+)=(.*)$"
  local known = reading.parser.options[name or word]
  if not known or known.takes_argument ~= (known.declared.kind == "option") then return nil end
  if known.takes_argument and not name then
    position = position + 1
    text = words[position]
  end
  if known.takes_argument ~= (text ~= nil) then return nil end
  if text and (text:find "^%-." and not name or not text:find "%S") then return nil end
  return take_option(reading, known.declared, text) and position + 1 or nil
end

---@param reading bide.cli.PlainReading
---@param words string[]
---@return boolean is_plain
local function read_words(reading, words)
  local position = 1
  while words[position] do
    local next_position
    if words[position]:find "^%-." then
      next_position = read_option(reading, words, position)
    else
      next_position = take_word(reading, words[position]) and position + 1
    end
    if not next_position then return false end
    position = next_position
  end
  return true
end

---Begins the lists of arguments; returns false if there are arguments of another kind than a plain line has.
---@param reading bide.cli.PlainReading
local function begin_lists(reading)
  for _, declared in ipairs(reading.parser.arguments) do
    local settings = declared.settings
    local is_list = settings.args == "*" or settings.args == "+"
    if settings.args and settings.args ~= "?" and not is_list then return false end
    if settings.default ~= nil or settings.action or settings.count then return false end
    if is_list then reading.result[M.key_of(declared)] = {} end
  end
  return true
end

---Reports whether a line has all arguments that it needs.
---@param reading bide.cli.PlainReading
local function has_all(reading)
  for position = reading.position, #reading.parser.arguments do
    local declared = reading.parser.arguments[position]
    local args = declared.settings.args
    if not args or args == "+" and #reading.result[M.key_of(declared)] == 0 then return false end
  end
  return true
end

---Takes the defaults of options that the line has not.
---@param reading bide.cli.PlainReading
---@return boolean is_plain
local function take_defaults(reading)
  for _, section in ipairs(reading.parser.sections) do
    for _, declared in ipairs(section) do
      local default = declared.settings.default
      if default ~= nil and not reading.given[declared] and not take_option(reading, declared, default) then return false end
    end
  end
  return true
end

---Reads a command line.
---@param parser bide.cli.Parser
---@param words string[] normalized
---@return table? result as argparse has it, without the empty lists of options; nil if the line is not plain
function M.read(parser, words)
  local reading = { parser = parser, result = {}, given = {}, actions = {}, position = 1 }
  if not begin_lists(reading) or not read_words(reading, words) or not has_all(reading) or not take_defaults(reading) then
    return nil
  end
  for _, action in ipairs(reading.actions) do action() end
  return reading.result
end

return M
