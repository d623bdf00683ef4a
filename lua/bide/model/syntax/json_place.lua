---Finds where a part of a JSON text is. The reader keeps no places, since only a mistake needs one.

local end_of_string = require("bide.recipe.file.places").end_of_string
local lexer = require "bide.model.syntax.lexer"

---The offset behind the value that begins at `at`.
local function end_of_value(text, at)
  local depth = 0
  while true do
    local from = text:find('["{}%[%],]', at)
    if not from then return #text + 1 end
    local mark = text:sub(from, from)
    if mark == '"' then
      at = end_of_string(text, from) + 1
    elseif mark == "{" or mark == "[" then
      depth, at = depth + 1, from + 1
    elseif depth == 0 then
      return from
    else
      depth, at = depth - (mark == "," and 0 or 1), from + 1
    end
  end
end

---The offset of the value of a member, and of its name.
local function member_at(text, at, name)
  at = text:find("%S", at + 1)
  while at and text:sub(at, at) == '"' do
    local finish = end_of_string(text, at)
    local value = text:find("[^%s:]", finish + 1)
    if text:sub(at + 1, finish - 1) == name then return value, at end
    at = text:find("[^%s,]", end_of_value(text, value))
  end
end

local function element_at(text, at, position)
  at = text:find("%S", at + 1)
  for _ = 2, position do
    at = text:find("[^%s,]", end_of_value(text, at))
    if not at then return nil end
  end
  return text:sub(at, at) ~= "]" and at or nil, at
end

---@param text string a valid JSON text
---@param path string the names and positions (from 1) on the way to the part, each behind a line break
---@return integer line of the part, or of the nearest part around it
---@return integer column
return function(text, path)
  local at = text:find("%S") or 1
  local shown = at
  for name in path:gmatch "\n([^\n]+)" do
    local mark, found, from = text:sub(at, at), nil, nil
    if mark == "{" then found, from = member_at(text, at, name) end
    if mark == "[" and math.tointeger(name) then found, from = element_at(text, at, math.tointeger(name)) end
    if not found then break end
    at, shown = found, from
  end
  return lexer.place(text, shown)
end
