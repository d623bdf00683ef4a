---The comments of Lua modules and recipes: phrases that spec/lint/english.lua allows elsewhere.

local held = { "^lua/bide/", "^scripts/" }

---Phrases, each with what to write in its place.
local phrases = {
  { "%f[%a]who%f[%A]", "name the noun: the caller, the script, a service" },
  { "%f[%a][Nn]obody%f[%A]", "say which function or caller does not" },
  { "^Whether%f[%A]", "begin with a verb: reports whether" }, { "^The same%f[%A]", "say what the function does" },
  { "^What%f[%A]", "begin with a verb, or with a noun" }, { "^How%f[%A]", "begin with a verb, or with a noun" },
  { "^Where%f[%A]", "begin with a verb, or with a noun" },
  { "[^e] is no [^lm]", "is not a" }, { "%f[%a]where there is%f[%A]", "if there is" },
  { "%f[%a]stands?%f[%A]", "is" },
  { "%f[%a]tells?%f[%A]", "report, or distinguish" }, { "%f[%a]told%f[%A]", "reported, or distinguished" },
}

local function is_held(file)
  for _, pattern in ipairs(held) do
    if file:find(pattern) then return true end
  end
  return false
end

---Returns the comment of a line; for a line of code, the one at its end.
local function comment_of(line)
  return line:match "^%s*%-%-+%s*(.*)$" or line:match '%s%-%- ([^"\']*)$' or ""
end

---@param file string
---@param report fun(line: integer, text: string)
return function(file, report)
  if not is_held(file) then return end
  local number, was_comment = 0, false
  for line in io.lines(file) do
    number = number + 1
    local comment = comment_of(line)
    local is_continued = was_comment and line:find "^%s*%-%-" ~= nil
    for _, phrase in ipairs(phrases) do
      local found = not (is_continued and phrase[1]:find "^%^") and comment:match(phrase[1])
      if found then report(number, ("%q: write plain English instead: %s"):format(found, phrase[2])) end
    end
    was_comment = line:find "^%s*%-%-" ~= nil
  end
end
