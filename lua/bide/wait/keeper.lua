---A wait that has to succeed again and again: it is begun anew until it fails or has not succeeded for too long.

local core = require "bide.core"

local loop = core.loop

local M = {}

---The milliseconds after which the last success does not count any more.
M.PATIENCE = 10000

---The milliseconds between a success and the next attempt: the least delay of the waiter, within these.
local SHORTEST, LONGEST = 1000, 5000

---@class bide.Keeper
---@field again bide.PreparedWait
---@field pause integer milliseconds
---@field alarm bide.Alarm
---@field wait bide.Wait? that is under way
---@field succeeded_at integer? when it did so last
---@field succeeded fun() called once
---@field failed fun(record: table) called once
local Keeper = {}
Keeper.__index = Keeper

local function conclude(keeper, record)
  keeper.wait = nil
  if record.state ~= "success" then return keeper.failed(record) end
  local is_first = not keeper.succeeded_at
  keeper.succeeded_at = loop.update()
  if is_first then keeper.succeeded() end
  keeper.alarm:start(keeper.succeeded_at + keeper.pause)
end

local function begin(keeper, prepared, observer)
  keeper.wait = prepared:start(function(record) conclude(keeper, record) end, observer)
end

---Returns the milliseconds between a success and the next attempt.
---@param waiter bide.Waiter
---@return integer
function M.pause_of(waiter)
  return math.min(math.max(waiter.min_delay, SHORTEST), LONGEST)
end

---Begins.
---@param first bide.PreparedWait until the first success, with the time that it has for that
---@param again bide.PreparedWait the same wait, with M.PATIENCE less the pause
---@param succeeded fun() called after the first success
---@param failed fun(record: table) called with the outcome of the wait that has failed; then nothing more happens
---@param observer? table of the first
---@return bide.Keeper
function M.start(first, again, succeeded, failed, observer)
  local keeper = setmetatable({
    again = again, pause = M.pause_of(again.waiter), succeeded = succeeded, failed = failed,
  }, Keeper)
  keeper.alarm = loop.alarm(function() begin(keeper, again) end)
  begin(keeper, first, observer)
  return keeper
end

---Reports whether the last success does not count any more, though the loop may not have come to say so.
---@return boolean
function Keeper:is_stale()
  return loop.update() - self.succeeded_at > M.PATIENCE
end

---Ends it, at any time, without an outcome.
function Keeper:stop()
  self.alarm:stop()
  if self.wait then self.wait:abandon() end
  self.wait = nil
end

return M
