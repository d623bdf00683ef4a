---The names at the top of a JSON object as its text has them, one given twice
---included, which no table can hold.

local core = require "bide.core"

local M = {}

---Where the string that begins at `at` ends.
local function end_of_string(text, at)
  local mark
  repeat
    at = text:find('["\\]', at + 1)
    mark = at and text:sub(at, at)
    if mark == "\\" then at = at + 1 end
  until mark ~= "\\"
  return at
end

---The names at the top of an object, in their order, and the line of each.
---@param text string a valid JSON object
---@return fun(): string?, integer?
function M.each(text)
  local depth, at, line, counted = 0, 0, 1, 1
  return function()
    while true do
      at = text:find('["{}%[%]]', at + 1)
      if not at then return nil end
      local mark, begins = text:sub(at, at), at
      if mark == "{" or mark == "[" then depth = depth + 1 end
      if mark == "}" or mark == "]" then depth = depth - 1 end
      if mark == '"' then at = end_of_string(text, at) end
      if mark == '"' and depth == 1 and text:find("^%s*:", at + 1) then
        line = line + select(2, text:sub(counted, begins):gsub("\n", ""))
        counted = begins + 1
        return core.json.decode(text:sub(begins, at)), line
      end
    end
  end
end

---Finds the first name that is given a second time, whatever its case.
---@param text string a valid JSON object
---@return string? name as it was given the second time
---@return integer? line of it
function M.find_repeated(text)
  local taken = {}
  for name, line in M.each(text) do
    if taken[name:lower()] then return name, line end
    taken[name:lower()] = true
  end
end

---@param text string a valid JSON object
---@param wanted string
---@return integer? line where the name is given
function M.line_of(text, wanted)
  for name, line in M.each(text) do
    if name == wanted then return line end
  end
end

return M
