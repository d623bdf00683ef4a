---The comments of C, layer by layer: phrases that spec/lint/english.lua allows elsewhere, and the width of lines.
---A layer is added to `held` once all its comments have been rewritten.

local held = { base = true, process = true, secret = true, json = true, jmespath = true, wait = true, net = true, host = true,
  main = true }

local LONGEST_LINE = 100

---Phrases, each with what to write in its place.
local phrases = {
  { "%f[%a]who%f[%A]", "name the noun: the caller, the script, a service" },
  { "%f[%a][Nn]obody%f[%A]", "say which function or caller does not" },
  { "%f[%a]Whether%f[%A]", "begin with a verb: reports whether" },
  { "%f[%a]is no%f[%A]", "is not a" }, { "%f[%a]where there is%f[%A]", "if there is" },
  { "%f[%a]stands?%f[%A]", "is" },
  { "%f[%a]tells?%f[%A]", "report, or distinguish" }, { "%f[%a]told%f[%A]", "reported, or distinguished" },
  { "memory is out", "memory is exhausted" },
}

---The part of a line that is a comment; `state.inside` is kept from line to line.
local function comment_of(line, state)
  local begin = state.inside and 1 or line:find("/*", 1, true)
  if not begin then return "" end
  local finish = line:find("*/", begin, true)
  state.inside = not finish
  return line:sub(begin, finish or #line)
end

---@param file string
---@param report fun(line: integer, text: string)
return function(file, report)
  if not held[file:match("^src/(%l+)/.+%.[ch]$") or file:match("^src/(main)%.c$") or ""] then return end
  local number, state = 0, { inside = false }
  for line in io.lines(file) do
    number = number + 1
    local width = utf8.len(line) or #line
    if width > LONGEST_LINE then report(number, ("%d columns, over %d"):format(width, LONGEST_LINE)) end
    local comment = comment_of(line, state)
    for _, phrase in ipairs(phrases) do
      local found = comment:match(phrase[1])
      if found then report(number, ("%q: write plain English instead: %s"):format(found, phrase[2])) end
    end
  end
end
