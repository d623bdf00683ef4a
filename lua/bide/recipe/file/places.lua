---Finds where the file of a recipe says something. Lines are looked up only when something is wrong.

local core = require "bide.core"

local M = {}

---Returns the line of a Lua file that names a waiter: the first one that gives the name a value. An empty name is found by
---its quotes.
---@param text string
---@param name string
---@return integer? line
function M.line_of(text, name)
  if name == "" then name = text:find('[""]', 1, true) and '""' or "''" end
  local from, to = text:find(name, 1, true)
  while from do
    local begins = from == 1 or not text:find("^%w", from - 1)
    if begins and text:find("^[\"'%]]*%s*[=:]", to + 1) then
      return select(2, text:sub(1, from):gsub("\n", "")) + 1
    end
    from, to = text:find(name, to + 1, true)
  end
end

-- The names at the top of a JSON object are read from its text, since a table cannot contain a name twice.

---Returns the end of the string that begins at `at`.
function M.end_of_string(text, at)
  local mark
  repeat
    at = text:find('["\\]', at + 1)
    mark = at and text:sub(at, at)
    if mark == "\\" then at = at + 1 end
  until mark ~= "\\"
  return at
end

---Iterates over the strings and brackets of a JSON text.
---@param text string valid JSON
---@return fun(): string?, integer, integer, integer mark, its beginning and end, and the number of open brackets
local function each_mark(text)
  local depth, at = 0, 0
  return function()
    at = text:find('["{}%[%]]', at + 1)
    if not at then return nil end
    local mark, begins, open = text:sub(at, at), at, depth
    if mark == "{" or mark == "[" then depth = depth + 1 end
    if mark == "}" or mark == "]" then depth = depth - 1 end
    if mark == '"' then at = M.end_of_string(text, at) end
    return mark, begins, at, open
  end
end

---Returns a function that returns the line of a place. It must be called for the places in their order.
local function line_counter(text)
  local line, counted = 1, 1
  return function(at)
    line = line + select(2, text:sub(counted, at):gsub("\n", ""))
    counted = at + 1
    return line
  end
end

---Iterates over the names at the top of an object, in their order, with the line of each.
---@param text string a valid JSON object
---@return fun(): string?, integer?
local function each_name(text)
  local next_mark, line_at = each_mark(text), line_counter(text)
  return function()
    for mark, begins, ends, open in next_mark do
      if mark == '"' and open == 1 and text:find("^%s*:", ends + 1) then
        return core.json.decode(text:sub(begins, ends)), line_at(begins)
      end
    end
  end
end

---Returns the lines of the objects at the top of a list.
---@param text string a valid JSON list
---@return integer[]
function M.lines_of_objects(text)
  local lines, line_at = {}, line_counter(text)
  for mark, begins, _, open in each_mark(text) do
    if mark == "{" and open == 1 then lines[#lines + 1] = line_at(begins) end
  end
  return lines
end

---Finds the first name that is given a second time, whatever its case.
---@param text string a valid JSON object
---@return string? name as it was given the second time
---@return integer? line of it
function M.find_repeated(text)
  local taken = {}
  for name, line in each_name(text) do
    if taken[name:lower()] then return name, line end
    taken[name:lower()] = true
  end
end

---@param text string a valid JSON object
---@param wanted string
---@return integer? line of the name
function M.line_of_member(text, wanted)
  for name, line in each_name(text) do
    if name == wanted then return line end
  end
end

return M
