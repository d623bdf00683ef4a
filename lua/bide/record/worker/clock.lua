---The clock of a store, as a worker knows it from the answers to its verbs.

local core = require "bide.core"

local loop = core.loop

local M = {}

---@class bide.worker.Clock
---@field is_near boolean whether a beat was answered, which is short: other answers may take long, and leave the bounds wide
---@field middle integer what the store's clock is more than that of the loop, in microseconds
---@field private least integer the bounds of the store's clock less that of the loop, in microseconds
---@field private most integer
local Clock = {}
Clock.__index = Clock

---Returns the time on the store's clock.
---@return integer microseconds
function Clock:now()
  return self.middle + loop.update() * 1000
end

---Returns a time of the store's clock on that of the loop.
---@param at integer microseconds
---@return integer milliseconds
function Clock:time_of(at)
  return (at - self.middle) // 1000
end

---Notes what the store's clock was between two times of the loop. A clock that was set is outside of the bounds of before.
---@param clock integer microseconds
---@param before integer milliseconds
---@param after integer milliseconds
function Clock:note(clock, before, after)
  local least, most = clock - after * 1000, clock - before * 1000
  local is_same = least <= self.most and most >= self.least
  if is_same then least, most = math.max(least, self.least), math.min(most, self.most) end
  self.least, self.most, self.middle = least, most, (least + most) // 2
end

---@return bide.worker.Clock
function M.new()
  return setmetatable({ least = 0, most = 0, middle = 0, is_near = false }, Clock)
end

return M
