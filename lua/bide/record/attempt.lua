---One attempt of a wait that is in a record, and in no process before and after it. Steps and workers make their attempts
---here, so that a chain of them decides as one run would.

local duration = require "bide.text.duration"

local M = {}

---In milliseconds: an attempt that begins later than this, and than twice its delay, begins streaks of time again.
local LATE = 10000

---Returns by how much an attempt is too late for streaks of time; nil if it is not.
---@param late integer milliseconds after the time when it was due, or less than 0
---@param delay integer milliseconds before it
---@return integer?
function M.overslept(late, delay)
  return late > math.max(LATE, 2 * delay) and late or nil
end

---@class bide.AttemptOptions
---@field word string what comes late: "step" or "attempt"
---@field late_by integer? milliseconds, if streaks of time begin again
---@field again fun(wait: bide.Wait, entry: table, note: string?) called after an attempt that another one follows, before the
---wait is abandoned
---@field ended fun(record: table, wait: bide.Wait, entry: table?, note: string?) called at the end of the wait

---Sees the attempt, and ends the wait in this process with it.
---@class bide.AttemptObserver
---@field options bide.AttemptOptions
---@field note string? that streaks of time began again
---@field entry table? of the history, once the attempt is over
local Observer = {}
Observer.__index = Observer

---@return string?
local function note_of_streak(wait, word, late_by)
  local kind, _, _, unit = wait.state:streak()
  if unit ~= "time" then return nil end
  return ("the %s came %s late: %s begins again"):format(word, duration.format(late_by),
    kind == "held" and "the hold" or "the time of tolerated errors")
end

function Observer:started(wait)
  local late_by = self.options.late_by
  if not late_by then return end
  self.note = note_of_streak(wait, self.options.word, late_by)
  wait.state:oversleep()
end

function Observer:attempted(wait, entry)
  self.entry = entry
  if not entry.delay then return end
  self.options.again(wait, entry, self.note)
  wait:abandon()
end

function Observer.ended() end

---Begins the attempt. Calls `again` or `ended`, once.
---@param prepared bide.PreparedWait
---@param from bide.Resumption
---@param options bide.AttemptOptions
---@return bide.Wait wait the one to cancel
function M.start(prepared, from, options)
  local observer = setmetatable({ options = options }, Observer)
  return prepared:continue(from, function(record, wait)
    options.ended(record, wait, observer.entry, observer.note)
  end, observer)
end

return M
