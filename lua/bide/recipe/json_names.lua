---The names at the top of a JSON object as its text has them, one given twice
---included, which no table can hold.

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

---Finds the first name that is given a second time, whatever its case.
---@param text string a valid JSON object
---@return string? name as it was given the second time
---@return integer? line of it
function M.find_repeated(text)
  local taken, depth, at = {}, 0, 0
  while true do
    at = text:find('["{}%[%]]', at + 1)
    if not at then return nil end
    local mark = text:sub(at, at)
    if mark == "{" or mark == "[" then depth = depth + 1 end
    if mark == "}" or mark == "]" then depth = depth - 1 end
    if mark == '"' then
      local behind = end_of_string(text, at)
      local name = text:sub(at + 1, behind - 1)
      if depth == 1 and text:find("^%s*:", behind + 1) then
        if taken[name:lower()] then return name, select(2, text:sub(1, at):gsub("\n", "")) + 1 end
        taken[name:lower()] = true
      end
      at = behind
    end
  end
end

return M
