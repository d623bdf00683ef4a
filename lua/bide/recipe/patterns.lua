---Checks Lua patterns. Lua itself finds a mistake only where a search reaches it, and takes what regular expressions mean
---otherwise for plain characters.

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

-- ---- regular expressions -----------------------------------------------------------------------

---Lua's words for letters behind a backslash.
local classes = {
  d = "%d", w = "[%w_]", s = "%s", D = "%D", W = "[^%w_]", S = "%S", b = "%f[%w]", n = "a line break", t = "a tab",
}

---Returns the mistake of a backslash, which Lua takes for itself.
local function backslash(pattern, at)
  local letter = pattern:sub(at + 1, at + 1)
  if letter:find "^%p$" then return ("\\%s is a regular expression: write %%%s"):format(letter, letter) end
  if not classes[letter] then return nil end
  return ("\\%s is a regular expression: write %s, or %%\\ for a backslash"):format(letter, classes[letter])
end

---Each begins with a character, and fits only what a regular expression means by it.
local forms = {
  { "^|", "| is a regular expression, and patterns have no alternatives: write %%| for the character" },
  { "^{%d+,?%d*}",
    "%s is a regular expression, and patterns have no counts: repeat the item, or write %%{ for the character" },
  { "^[*+]%?", "%s is a regular expression: write - for the shortest repetition, or %%? for the character" },
  { "^%(%?[:=!<imsx]", "%s is a regular expression: write ( alone, or %%? for the character" },
  { "^%[:%a+:%]", "%s is a regular expression: write %%d, %%a, %%s and the like" },
}

---Returns why a pattern looks like a regular expression, which would fit nothing that was meant.
---@param pattern string a valid one
---@return string? mistake
function M.foreign(pattern)
  local at, is_in_set = 1, false
  while at <= #pattern do
    local letter = pattern:sub(at, at)
    local mistake = letter == "\\" and backslash(pattern, at)
    for _, form in ipairs(forms) do
      local found = (not is_in_set or letter == "[") and pattern:match(form[1], at)
      if found then mistake = form[2]:format(found) end
    end
    if mistake then return mistake end
    if letter == "%" then
      at = at + 1
    elseif letter == "[" and not is_in_set then
      is_in_set = true
      if pattern:find("^%^?%]", at + 1) then at = at + (pattern:sub(at + 1, at + 1) == "^" and 2 or 1) end
    elseif letter == "]" then
      is_in_set = false
    end
    at = at + 1
  end
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
