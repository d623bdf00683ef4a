---One attempt of a wait that is in a record, and in no process before and after it. Steps and workers make their attempts
---here, so that a chain of them decides as one run would.

local Wait = require "bide.wait.run"
local streak = require "bide.recipe.waiter.streak"

local M = {}

---@class bide.AttemptOptions
---@field word string what comes late: "step" or "attempt"
---@field again fun(self: bide.AttemptOptions, wait: bide.Wait, now: integer, delay: integer, acceptor: integer?,
---failure: userdata?, note: string?) called after an attempt that another one follows in some milliseconds: settles the wait
---@field ended fun(self: bide.AttemptOptions, wait: bide.Wait, record: table) called at the end of the wait

---The key of an attempt: a table of its maker, which may make another one with it.
---@class bide.AttemptOf
---@field late_by integer? milliseconds, if streaks of time begin again
---@field note string? that streaks of time began again
---@field entry table? of the history, once the last attempt is over

---Sees attempts, and ends each wait in this process with its attempt, unless the next one is made here, too.
---@class bide.AttemptOptions
local Observer = {}
Observer.__index = Observer

function Observer:started(wait)
  local of = wait.key
  if not of.late_by then return end
  of.note = streak.begin_again(wait.state, self.word, of.late_by)
end

function Observer.attempted(_, wait, entry)
  wait.key.entry = entry
end

local function done() end

---Returns the common part of attempts that are prepared alike. Each of them calls `again` after its attempts, and `ended` once it
---has ended here.
---@param waiter bide.Waiter
---@param limits bide.Limits
---@param options bide.AttemptOptions whose metatable this sets
---@return bide.WaitKind
function M.kind(waiter, limits, options)
  return Wait.new_kind(waiter, limits, done, setmetatable(options, Observer))
end

return M
