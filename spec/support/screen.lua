---A terminal as far as bide commands one: what a person sees after some bytes were written to it.
---
---    local screen = Screen.new(120)
---    screen:feed(process.stdout)
---    assert.equal("| Done: …", screen:lines()[1])

---Characters from here on are taken to be two columns wide.
local FIRST_WIDE = 0x2E80

---@class spec.Screen
---@field columns integer
---@field rows string[][] the characters of each line, those that scrolled off included
---@field row integer of the cursor, from 1
---@field column integer from 1
---@field wraps boolean
---@field commands table<string, integer> how often each command came
local Screen = {}
Screen.__index = Screen

---@param columns integer
---@return spec.Screen
function Screen.new(columns)
  return setmetatable({ columns = columns, rows = { {} }, row = 1, column = 1, wraps = true, commands = {} }, Screen)
end

local function line_feed(screen)
  screen.row = screen.row + 1
  screen.rows[screen.row] = screen.rows[screen.row] or {}
end

local function put(screen, character)
  if screen.column > screen.columns then
    if screen.wraps then
      line_feed(screen)
      screen.column = 1
    else
      screen.column = screen.columns
    end
  end
  local row = screen.rows[screen.row]
  for position = #row + 1, screen.column - 1 do row[position] = " " end
  row[screen.column] = character
  if utf8.codepoint(character) >= FIRST_WIDE then
    screen.column = screen.column + 1
    row[screen.column] = ""
  end
  screen.column = screen.column + 1
end

local commands = {}

commands["K"] = function(screen)
  local row = screen.rows[screen.row]
  for position = #row, screen.column, -1 do row[position] = nil end
end

commands["J"] = function(screen)
  commands["K"](screen)
  for position = #screen.rows, screen.row + 1, -1 do screen.rows[position] = nil end
end

commands["A"] = function(screen, count) screen.row = math.max(screen.row - (tonumber(count) or 1), 1) end
commands["?7l"] = function(screen) screen.wraps = false end
commands["?7h"] = function(screen) screen.wraps = true end
commands["m"] = function() end

local function command(screen, sequence)
  local name = commands[sequence] and sequence or sequence:match "%a$"
  local act = commands[name] or error(("an unknown command of a terminal: %q"):format(sequence))
  screen.commands[sequence] = (screen.commands[sequence] or 0) + 1
  act(screen, sequence:match "^%d+")
end

---@param bytes string
function Screen:feed(bytes)
  local at = 1
  while at <= #bytes do
    local sequence = bytes:match("^\27%[([%d;?]*%a)", at)
    local character = bytes:match("^" .. utf8.charpattern, at)
    if sequence then
      command(self, sequence)
    elseif character == "\r" then
      self.column = 1
    elseif character == "\n" then
      line_feed(self)
    elseif character ~= "\27" then
      put(self, character)
    end
    at = at + (sequence and #sequence + 2 or #character)
  end
end

---@return string[] lines from the top, those that scrolled off included, without blank ones at the end
function Screen:lines()
  local lines = {}
  for position, row in ipairs(self.rows) do lines[position] = table.concat(row) end
  while lines[#lines] == "" do lines[#lines] = nil end
  return lines
end

return Screen
