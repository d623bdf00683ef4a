---Reads durations as people write them, and writes them for people.

local option = require "bide.text.option"

local M = {}

---As floats, since a product of integers may wrap round.
local milliseconds_of = { ms = 1.0, s = 1000.0, m = 60000.0, h = 3600000.0, d = 86400000.0 }

---The longest duration, in milliseconds: some 31,000 years, and nothing overflows.
M.LONGEST = 10 ^ 15 // 1 | 0

local WORDS = 'a duration such as 300, 300s, 5m, 1h30m or 250ms'

---@param text string
---@return string mistake
local function mistake_of(text)
  local near = require "bide.text.duration_hint"(text)
  return option.expected(WORDS, text) .. (near and (', did you mean "%s"?'):format(near) or "")
end

---Reads `300`, `300s`, `5m`, `1h30m`, `250ms`, `1.5s`. A bare number is in seconds.
---@param text string
---@return integer? milliseconds rounded up
---@return string? mistake
function M.parse(text)
  local bare = text:match("^%d+%.?%d*$")
  if bare then return M.read(tonumber(bare)) end
  local total, rest = 0, text
  while rest ~= "" do
    local number, unit, behind = rest:match("^(%d+%.?%d*)(%a+)(.*)$")
    local factor = number and milliseconds_of[unit]
    if not factor then return nil, mistake_of(text) end
    total, rest = total + tonumber(number) * factor, behind
  end
  if text == "" then return nil, mistake_of(text) end
  return M.read(total / 1000)
end

---Reads a duration that may be zero: `0`, `0s`.
---@param text string
---@return integer? milliseconds
---@return string? mistake
function M.parse_or_zero(text)
  local unit = text:match("^0+(%a*)$")
  if unit and (unit == "" or milliseconds_of[unit]) then return 0 end
  return M.parse(text)
end

---Converts seconds to whole milliseconds, rounded up, so that nothing is ever early. All seconds of users and scripts
---are converted here: `n / 1000` becomes `n`, although few doubles are whole thousandths, and the error of a few
---operations on doubles does not add a millisecond.
---@param seconds number? a number below 0 becomes 0, one above the longest duration becomes that
---@return integer? milliseconds nil if there is no end: of nil, math.huge, and what is not a number at all
function M.of_seconds(seconds)
  if not seconds or seconds == math.huge or seconds ~= seconds then return nil end
  return math.ceil(math.min(math.max(seconds, 0) * 1000.0 * (1 - 2 ^ -50), M.LONGEST))
end

---Converts a value that must be a duration above 0.
---@param seconds any
---@return integer? milliseconds
---@return string? mistake
function M.read(seconds)
  local mistake = option.mistake(seconds, option.kinds.seconds)
  if mistake then return nil, mistake end
  if seconds * 1000.0 > M.LONGEST then
    return nil, option.expected(("at most %d seconds"):format(M.LONGEST // 1000), seconds)
  end
  return M.of_seconds(seconds)
end

---Converts milliseconds to the seconds of outcomes and events.
---@param milliseconds integer
---@return number seconds
function M.seconds(milliseconds)
  return milliseconds / 1000
end

local function trim(number)
  return (("%.1f"):format(number):gsub("%.0$", ""))
end

---Returns a duration as text for people: `0.25 s`, `6.2 s`, `1 m`, `1 m 30 s`, `1 h 30 m`.
---@param milliseconds integer
---@return string
function M.format(milliseconds)
  if milliseconds < 1000 then return ("%.3f"):format(milliseconds / 1000):gsub("%.?0+$", "") .. " s" end
  milliseconds = (milliseconds + 50) // 100 * 100
  if milliseconds < 60000 then return trim(milliseconds / 1000) .. " s" end
  local minutes, seconds = milliseconds // 60000, trim(milliseconds % 60000 / 1000)
  if minutes < 60 then return seconds == "0" and minutes .. " m" or ("%d m %s s"):format(minutes, seconds) end
  local hours = minutes // 60
  return minutes % 60 == 0 and hours .. " h" or ("%d h %d m"):format(hours, minutes % 60)
end

---Returns a duration as M.parse reads it: `250ms`, `1.5s`, `1m30s`, `1h30m`.
---@param milliseconds integer above 0
---@return string
function M.argument(milliseconds)
  if milliseconds < 1000 then return milliseconds .. "ms" end
  local text = ""
  for _, unit in ipairs { "h", "m" } do
    local count = milliseconds // milliseconds_of[unit]
    if count > 0 then text = ("%s%d%s"):format(text, count, unit) end
    milliseconds = milliseconds % milliseconds_of[unit]
  end
  return milliseconds > 0 and ("%s%.14gs"):format(text, milliseconds / 1000) or text
end

return M
