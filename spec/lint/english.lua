---The English of the project: what its texts may not contain, folder by folder. A folder is added here once it has been
---rewritten; until then only the folders below are held.

---Phrases that a reader has to read twice, each with what to write in its place. The word that a pattern captures may
---be `but`.
local phrases = {
  { "%f[%a][Ww]hoever", "name the noun: the caller, the script, a service" },
  { "%f[%a]Who%f[%A]", "name the noun: the caller, the script, a service" },
  { "%f[%a]so many%f[%A]", "N" }, { "%f[%a]for so long%f[%A]", "for DURATION" },
  { "(%a*) is none%f[%A]", "is not, or does not exist", but = "there" },
  { "(%a*) are none%f[%A]", "are not, or do not exist", but = "there" },
  { "%f[%a]heard%f[%A]", "honoured" }, { "%f[%a]heeds?%f[%A]", "handle" },
  { "%f[%a]stands? behind", "follows" }, { "%f[%a]stands? beside", "is beside" }, { "%f[%a]stands? in%f[%A]", "is in" },
  { "%f[%a]go on%f[%A]", "continue" }, { "%f[%a]goes on%f[%A]", "continues" }, { "%f[%a]going on%f[%A]", "continuing" },
  { "%f[%a]tells? of%f[%A]", "report" }, { "%f[%a]told of%f[%A]", "reported" }, { "%f[%a]told from%f[%A]", "distinguished from" },
  { "%f[%a]which so%f[%A]", "so that" }, { "that pass%f[%A]", "transient" }, { "passing error", "transient error" },
  { "unless said otherwise", "Default:" }, { "unless asked for", "off by default" }, { "its kin%f[%A]", "its derivatives" },
  { "%f[%a][Ll]ikewise%f[%A]", "say it again" }, { "%f[%a]in vain%f[%A]", "for nothing" },
  { "come with bide", "bundled" }, { "comes with bide", "bundled" },
}

---Patterns of the names of the files that are held.
local held = {
  "^README%.md$", "^docs/[%a-]+%.md$", "^docs/how%-to/", "^docs/reference/", "^docs/explanation/",
  "^lua/bide/", "^scripts/", "^src/",
}

local function is_held(file)
  for _, pattern in ipairs(held) do
    if file:find(pattern) then return true end
  end
  return false
end

local LONGEST_LINE = 120

---Markdown is wrapped, but for tables and examples.
local function check_width(file, line, find)
  local width = utf8.len(line) or #line
  if file:find("%.md$") and width > LONGEST_LINE and not line:find("^|") then
    find(("%d columns of Markdown, over %d"):format(width, LONGEST_LINE))
  end
end

---Returns what a line has of a phrase; nil if it has not.
local function match(line, phrase)
  local at = 1
  while true do
    local first, last, word = line:find(phrase[1], at)
    if not first then return nil end
    if not word or word:lower() ~= phrase.but then return line:sub(first, last) end
    at = last + 1
  end
end

---@param file string
---@param report fun(line: integer, text: string)
---@param lines? fun(): string? its lines, if they are not in the file
return function(file, report, lines)
  if not is_held(file) then return end
  local number, is_example = 0, false
  for line in lines or io.lines(file) do
    number = number + 1
    local function find(text) report(number, text) end
    if file:find("%.md$") and line:find("^%s*```") then is_example = not is_example end
    if not is_example then
      check_width(file, line, find)
      for _, phrase in ipairs(phrases) do
        local found = match(line, phrase)
        if found then find(("%q: write plain English instead: %s"):format(found, phrase[2])) end
      end
    end
  end
end
