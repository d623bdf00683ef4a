---Checks Lua patterns. Lua itself finds a mistake only where a search reaches it.

local M = {}

---Reads a set, which begins after its "[" and ends with its "]".
---@return integer? behind
local function end_of_set(pattern, at)
  if pattern:sub(at, at) == "^" then at = at + 1 end
  repeat
    if at > #pattern then return nil end
    at = at + (pattern:sub(at, at) == "%" and 2 or 1)
  until pattern:sub(at, at) == "]"
  return at <= #pattern and at + 1 or nil
end

---Reads an item that begins with "%".
---@return integer? behind
---@return string? mistake
local function end_of_escape(pattern, at)
  local letter = pattern:sub(at + 1, at + 1)
  if letter == "" then return nil, "the pattern ends with %" end
  if letter == "b" then
    if at + 3 > #pattern then return nil, "%b lacks its two characters" end
    return at + 4
  end
  if letter == "f" and pattern:sub(at + 2, at + 2) ~= "[" then return nil, "%f is not followed by a set" end
  return at + 2
end

-- ---- patterns ----------------------------------------------------------------------------------

---@param pattern string
---@return string? mistake
function M.mistake(pattern)
  local at, open = 1, 0
  while at <= #pattern do
    local letter = pattern:sub(at, at)
    if letter == "%" then
      local behind, mistake = end_of_escape(pattern, at)
      if not behind then return mistake end
      at = behind
    elseif letter == "[" then
      at = end_of_set(pattern, at + 1)
      if not at then return "a set lacks its ]" end
    else
      open = open + (letter == "(" and 1 or letter == ")" and -1 or 0)
      if open < 0 then return "a ) has no (" end
      at = at + 1
    end
  end
  if open > 0 then return "a ( has no )" end
  local ok, mistake = pcall(string.find, "", pattern)
  return not ok and tostring(mistake) or nil
end

return M
