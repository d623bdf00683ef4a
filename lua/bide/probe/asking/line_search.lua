---Searches a log that comes in pieces for a line: it joins the lines, and matches each with a regular expression or a Lua
---pattern. A line counts when it has ended; of a line of more than 64 KiB, pieces of about this length are looked at.

local core = require "bide.core"
local regex = require "bide.probe.asking.regex"
local retries = require "bide.task.retries"
local tables = require "bide.text.tables"

local find = core.pattern.find

local LONGEST = 64 * 1024

local M = {}

---The inputs that say which line is looked for.
---@class bide.LineInput
---@field matches? string a regular expression that the line must match
---@field matches_lua? string a Lua pattern that the line must match
---@field failed? string[] texts that mean failure in a line: it raises FailedLine

---@class bide.FoundLine
---@field line string without its line break
---@field captures? string[] the texts of the groups of `matches`, if it has any

---@class bide.LineSearch
---@field private input bide.LineInput
---@field private regex bide.Regex?
---@field private is_over_limit boolean? whether matches took too long for the line before
---@field private rest string the beginning of a line that has not ended
local Search = {}
Search.__index = Search

---Returns the declarations of these inputs, and of further ones.
---@param own bide.Inputs
---@return bide.Inputs
function M.inputs(own)
  return tables.merged({
    matches = { type = "string", positional = 2, example = "listening on (\\d+)",
      documentation = "A regular expression that the line must match; its groups are the member `captures` of the output." },
    matches_lua = { type = "string", documentation = "A Lua pattern that the line must match." },
    failed = { type = "list", of = { type = "string" }, example = { "panic" },
      documentation = "The texts of a line that mean failure." },
  }, own)
end

---Returns the mistake of an input that does not say which line is looked for.
---@param input bide.LineInput
---@return string? mistake
function M.mistake(input)
  return not (input.matches or input.matches_lua) and "matches: expected a regular expression, found nothing" or nil
end

---@param input bide.LineInput
---@return bide.LineSearch
function M.new(input)
  return setmetatable({ input = input, regex = input.matches and assert(regex.compile(input.matches)), rest = "" }, Search)
end

---Matches a line with the regular expression. A line for which it takes too long does not match; two of them in a row raise
---MatchLimit.
---@return string[]|boolean? captures
local function match(search, line)
  local captures, is_over = search.regex:find(line)
  if is_over and search.is_over_limit then
    local message = "matches: %s takes too long for two lines in a row"
    error({ type = "MatchLimit", message = message:format(core.json.encode(search.input.matches)) }, 0)
  end
  if is_over then retries.note "a line for which matches takes too long did not match" end
  search.is_over_limit = is_over
  return captures
end

---Returns a line if it is what is looked for. Raises FailedLine.
---@return bide.FoundLine?
local function judge(search, line)
  line = line:gsub("\r$", "")
  for _, text in ipairs(search.input.failed or {}) do
    if line:find(text, 1, true) then error({ type = "FailedLine", message = line }, 0) end
  end
  if search.input.matches_lua and not find(line, search.input.matches_lua) then return nil end
  local captures = not search.regex or match(search, line)
  return captures and { line = line, captures = captures ~= true and captures or nil } or nil
end

---Judges the lines that a piece of the log ends.
---@param piece string
---@return bide.FoundLine?
function Search:add(piece)
  local text, at = self.rest .. piece, 1
  for ending in text:gmatch "()\n" do
    local line = judge(self, text:sub(at, ending - 1))
    if line then return line end
    at = ending + 1
  end
  self.rest = text:sub(at)
  if #self.rest >= LONGEST then return self:finish() end
end

---Judges a line that nothing will end.
---@return bide.FoundLine?
function Search:finish()
  local line = self.rest
  self.rest = ""
  return line ~= "" and judge(self, line) or nil
end

return M
