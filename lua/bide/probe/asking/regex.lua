---Regular expressions, by PCRE2 (rex_pcre2 of lua-rex-pcre2), with limits. Texts are UTF-8; bytes that are not match nothing.
---Nothing is compiled to machine code.
---
---    local regex, mistake = require("bide.probe.asking.regex").compile "version (\\d+)"
---    local captures, is_over = regex:find(text)

local yield = require "bide.task.yield"
local core = require "bide.core"
local script_error = require "bide.text.script_error"

local M = {}

---PCRE2 counts steps for each place of the text anew. A million take about 10 ms.
local MOST_STEPS = 1000000    -- of a match that begins at one place
local LEAST_STEPS = 100       -- of the same, in one look at a long text
local ALL_STEPS = 100000000   -- of one look at all places
local SECONDS = 2             -- of processor time for looking at each place alone
local BREATH = 0.05           -- seconds until others get a turn

---The options of PCRE2, and a limit of its memory in KiB.
local limits = "(*LIMIT_MATCH=%d)(*LIMIT_DEPTH=100000)(*LIMIT_HEAP=32768)"
local MATCH_INVALID_UTF = 0x04000000

local rex, flags -- loaded where they are needed

---@class bide.Regex
---@field private text string
---@field private compiled table<integer, table> by the limit of steps
---@field private groups integer
local Regex = {}
Regex.__index = Regex

-- ---- mistakes ----------------------------------------------------------------------------------

---The forms of regular expressions for the classes of Lua's patterns.
local classes = {
  a = "[[:alpha:]]", c = "[[:cntrl:]]", d = "\\d", g = "[[:graph:]]", l = "[[:lower:]]", p = "[[:punct:]]", s = "\\s",
  u = "[[:upper:]]", w = "[[:alnum:]]", x = "[[:xdigit:]]", A = "[[:^alpha:]]", C = "[[:^cntrl:]]", D = "\\D",
  G = "[[:^graph:]]", L = "[[:^lower:]]", P = "[[:^punct:]]", S = "\\S", U = "[[:^upper:]]", W = "[[:^alnum:]]",
  X = "[[:^xdigit:]]",
}

---Returns the mistake of a form of Lua's patterns, which would fit nothing that was meant.
---@return string? mistake
local function foreign(pattern)
  local at, is_in_set = 1, false
  while at <= #pattern do
    local two = pattern:sub(at, at + 1)
    local class = two:match "^%%(%a)" and classes[two:sub(2)]
    if class and is_in_set then class = class:gsub("^%[(%[:.*:%])%]$", "%1") end
    if class then return ("%s is a Lua pattern: write %s, or \\%s for the characters"):format(two, class, two) end
    if two == ".-" and not is_in_set then return ".- is a Lua pattern: write .*?, or .\\- for the characters" end
    local letter = two:sub(1, 1)
    if letter == "[" and not is_in_set then
      is_in_set = true
      at = at + #pattern:match("^%^?%]?", at + 1)
    elseif letter == "]" then
      is_in_set = false
    elseif letter == "\\" then
      at = at + 1
    end
    at = at + 1
  end
end

---Returns the mistake of a limit that a pattern sets for itself.
local function own_limit(pattern)
  local at = 1
  while true do
    local name, behind = pattern:match("^%(%*([%u%d_]+)=?%d*%)()", at)
    if not name then return nil end
    if name:find "^LIMIT_" then return ("(*%s=…) is not for patterns, whose limits are bide's"):format(name) end
    at = behind
  end
end

-- ---- compiling ---------------------------------------------------------------------------------

---@return table? compiled
---@return string? mistake
local function compile(text, steps)
  if not rex then
    rex = require "rex_pcre2"
    flags = rex.flags()
  end
  local prefix = limits:format(steps)
  local ok, compiled = pcall(rex.new, prefix .. text, flags.UTF | MATCH_INVALID_UTF | flags.NEVER_BACKSLASH_C)
  if ok then return compiled end
  script_error.pass_out_of_memory(compiled)
  local words, offset = tostring(compiled):match "^(.-) %(pattern offset: (%d+)%)$"
  if not words then return nil, tostring(compiled) end
  return nil, ("%s, at byte %d"):format(words, math.max(tonumber(offset) - #prefix, 1))
end

---The ones that are in use, by their texts.
local known = setmetatable({}, { __mode = "v" })

---@param text string
---@return bide.Regex?
---@return string? mistake
function M.compile(text)
  if known[text] then return known[text] end
  local mistake = own_limit(text) or foreign(text)
  if mistake then return nil, mistake end
  local compiled
  compiled, mistake = compile(text, MOST_STEPS)
  if not compiled then return nil, mistake end
  local groups = math.tointeger(compiled:fullinfo().CAPTURECOUNT)
  local regex = setmetatable({ text = text, groups = groups, compiled = { [MOST_STEPS] = compiled } }, Regex)
  known[text] = regex
  return regex
end

-- ---- matching ----------------------------------------------------------------------------------

---@return string[]|boolean|nil captures true if there are no groups; nil if there is no match
---@return boolean is_over whether a limit was reached
local function try(regex, compiled, text, start, how)
  local ok, from, _, captures = pcall(compiled.tfind, compiled, text, start, how)
  if not ok then
    script_error.pass_out_of_memory(from)
    return nil, true
  end
  if not from then return nil, false end
  if regex.groups == 0 then return true, false end
  local list = core.json.array {}
  for number = 1, regex.groups do list[number] = captures[number] or core.json.null end
  return list, false
end

---Looks at each place alone, with the most steps for each: a match that takes many at few places is found.
local function search(regex, text)
  local compiled, began = regex.compiled[MOST_STEPS], os.clock()
  local pause = began + BREATH
  for at = 1, #text + 1 do
    local byte = text:byte(at)
    if not byte or byte & 0xC0 ~= 0x80 then -- the first byte of a character
      local found, is_over = try(regex, compiled, text, at, flags.ANCHORED)
      if found or is_over then return found, is_over end
      local now = os.clock()
      if now > began + SECONDS then return nil, true end
      if now > pause then
        yield()
        pause = now + BREATH
      end
    end
  end
  return nil, false
end

---Returns the texts of the groups of the first match; true if the expression has no groups. A group that was not part of
---the match has null.
---@param text string
---@return string[]|boolean|nil captures nil if the text does not match
---@return boolean is_over whether it does not match since it took too long
function Regex:find(text)
  local steps = MOST_STEPS
  while steps > LEAST_STEPS and steps * #text > ALL_STEPS do steps = steps // 10 end
  self.compiled[steps] = self.compiled[steps] or assert(compile(self.text, steps))
  local found, is_over = try(self, self.compiled[steps], text, 1, 0)
  if is_over and steps < MOST_STEPS then return search(self, text) end
  return found, is_over
end

-- ---- what decides nothing ------------------------------------------------------------------------

local printable = {}
for byte = 0x20, 0x7e do printable[#printable + 1] = string.char(byte) end

---Texts of which an expression that is meant to decide anything does not match at least one.
M.unlike = { "", "\n", "a", "Z", "0", "~", "é", table.concat(printable):rep(50, "\n") }

---Reports whether every text matches, as for `|done`. An expression that looks for what must not come is not judged.
---@return boolean
function Regex:matches_every_text()
  if self.text:find("(?!", 1, true) or self.text:find("(?<!", 1, true) then return false end
  for _, text in ipairs(M.unlike) do
    if not try(self, self.compiled[MOST_STEPS], text, 1, 0) then return false end
  end
  return true
end

return M
