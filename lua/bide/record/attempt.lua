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
  return late > LATE and late > 2 * delay and late or nil
end

---@class bide.AttemptOptions
---@field word string what comes late: "step" or "attempt"
---@field again fun(self: bide.AttemptOptions, of: bide.AttemptOf, wait: bide.Wait, now: integer, delay: integer,
---acceptor: integer?, failure: userdata?, note: string?): boolean? called after an attempt that another one follows in some
---milliseconds: returns whether the wait continues, else it is abandoned
---@field ended fun(self: bide.AttemptOptions, of: bide.AttemptOf, record: table, wait: bide.Wait) called at the end of the wait

---The key of an attempt: a table of its maker, which may make another one with it.
---@class bide.AttemptOf
---@field late_by integer? milliseconds, if streaks of time begin again
---@field note string? that streaks of time began again
---@field entry table? of the history, once the last attempt is over

---Sees attempts, and ends each wait in this process with its attempt, unless the next one is made here, too.
---@class bide.AttemptObserver
---@field options bide.AttemptOptions
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
  local of = wait.key
  if not of.late_by then return end
  of.note = note_of_streak(wait, self.options.word, of.late_by)
  wait.state:oversleep()
end

function Observer:retried(wait, now, delay, acceptor, failure, note)
  local of = wait.key
  if not self.options:again(of, wait, now, delay, acceptor, failure, note) then return wait:abandon() end
  if of.note then of.note = nil end
end

function Observer.attempted(_, wait, entry)
  wait.key.entry = entry
end

function Observer.ended() end

---Returns the common part of attempts that are prepared alike. Each of them, begun by `continue_as`, calls `again` after
---its attempts, and `ended` once it has ended here.
---@param prepared bide.PreparedWait
---@param options bide.AttemptOptions
---@return bide.WaitKind
function M.kind(prepared, options)
  return prepared:kind(function(record, wait) options:ended(wait.key, record, wait) end,
    setmetatable({ options = options }, Observer))
end

return M
