---Reads and describes streaks: consecutive attempts that count together, successes that have to hold, or errors that are
---tolerated although no acceptor matched them. The length of a streak is a number of attempts or a time.

local core = require "bide.core"
local counted = require "bide.text.counted"
local duration = require "bide.text.duration"
local option = require "bide.text.option"

local M = {}

-- ---- how long a streak has to be --------------------------------------------------------------

local WORDS = 'a number of attempts such as 5, or a duration with its unit, such as "30s"'

local function of_text(text)
  if text:find("^%d+%.?%d*$") then return M.of_count(tonumber(text)) end
  local milliseconds = duration.parse(text)
  if not milliseconds then return nil, nil, option.expected(WORDS, text) end
  return 0, milliseconds
end

---@param count any
---@return integer? attempts
---@return integer? time
---@return string? mistake
function M.of_count(count)
  local attempts = math.tointeger(count)
  if attempts and attempts >= 1 then return attempts, 0 end
  return nil, nil, option.expected("a whole number of attempts above 0", count)
end

---Reads `{ attempts = 5 }` or `{ seconds = 30 }`.
---@param members table
---@return integer? attempts
---@return integer? time
---@return string? mistake
function M.of_table(members)
  local name, value = next(members)
  if next(members, name) == nil then
    if name == "attempts" then return M.of_count(value) end
    if name == "seconds" then
      local milliseconds, mistake = duration.read(value)
      if not milliseconds then return nil, nil, mistake end
      return 0, milliseconds
    end
  end
  return nil, nil, "expected exactly one of attempts and seconds"
end

---Returns a length in words: `3 attempts`, `30 s`.
---@param attempts integer? 0 or nil if it is a time
---@param time integer? milliseconds
---@return string
function M.length(attempts, time)
  if not attempts or attempts == 0 then return duration.format(time) end
  return counted(attempts, "attempt")
end

---Reads `5`, `"5"`, `"30s"` and what M.of_table reads.
---@param value any
---@return integer? attempts 0 if it is a time
---@return integer? time milliseconds; 0 if it is a number of attempts
---@return string? mistake
function M.read(value)
  if type(value) == "number" then return M.of_count(value) end
  if type(value) == "string" then return of_text(value) end
  if type(value) == "table" then return M.of_table(value) end
  return nil, nil, option.expected(WORDS, value)
end

-- ---- attempts that come late ------------------------------------------------------------------

---In milliseconds: an attempt that begins later than this, and than twice its delay, begins streaks of time again.
M.LATE = 10000

---Returns by how much an attempt is too late for streaks of time; nil if it is not.
---@param late integer milliseconds after the time when it was due, or less than 0
---@param delay integer milliseconds before it
---@return integer?
function M.overslept(late, delay)
  return late > M.LATE and late > 2 * delay and late or nil
end

---Begins a streak of time again, since no attempt was made when it was due.
---@param state bide.WaitState
---@param word string what came late: "step" or "attempt"
---@param late integer milliseconds
---@return string? note nil if there is no such streak
function M.begin_again(state, word, late)
  local kind, _, _, unit = state:streak()
  state:oversleep()
  if unit ~= "time" then return nil end
  return ("the %s came %s late: %s begins again"):format(word, duration.format(late),
    kind == "held" and "the hold" or "the time of tolerated errors")
end

-- ---- how long it is ---------------------------------------------------------------------------

local words = {
  held = {
    attempts = function(count, _, span) return ("held for %d of %s"):format(count, M.length(span)) end,
    time = function(_, time, span) return ("held for %s of %s"):format(duration.format(time), duration.format(span)) end,
  },
  tolerated = {
    attempts = function(count, _, span) return ("tolerated, %d of at most %d in a row"):format(count, span) end,
    time = function(_, time, span)
      return ("tolerated for %s of at most %s"):format(duration.format(time), duration.format(span))
    end,
  },
}

---Describes the streak after an attempt that has just ended; nil if there is none.
---@param state bide.WaitState
---@return string? text
---@return "held"|"tolerated"|nil kind
---@return integer? count
function M.describe(state)
  local kind, count, since, unit, span = state:streak()
  if not kind then return nil end
  return words[kind][unit](count, core.loop.now() - since, span), kind, count
end

---Describes a completed hold: `held for 3 attempts`; nil if none was required.
---@param state bide.WaitState
---@return string?
function M.held(state)
  local kind, _, _, unit, span = state:streak()
  if kind ~= "held" then return nil end
  return "held for " .. (unit == "attempts" and M.length(span) or duration.format(span))
end

---Describes the errors that were tolerated before one that was not.
---@param state bide.WaitState
---@return string?
function M.used_up(state)
  local kind, count, _, unit, span = state:streak()
  if kind ~= "tolerated" then return nil end
  if unit == "time" then return (", after %s of tolerating such errors"):format(duration.format(span)) end
  return (", after %d such error%s in a row had been tolerated"):format(count - 1, count == 2 and "" or "s")
end

---Describes a hold that was not completed, by its last attempt.
---@param state bide.WaitState
---@return string?
function M.broken_off(state)
  local kind, count, _, unit, span = state:streak()
  if kind ~= "held" then return nil end
  return unit == "attempts" and words.held.attempts(count, nil, span)
    or "held for less than " .. duration.format(span)
end

return M
