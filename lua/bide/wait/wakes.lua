---Decides when a wait that hears of events makes its next attempt. It is a state machine over times, whole milliseconds of
---any monotonic clock: it reads no clock and calls nothing.
---
---There are two schedules. `poll_at` is that of polling, which events never move to a later time. While the watch of the
---wait is alive, polls come at `rare_at` instead. An event brings an attempt forward, and neither schedule moves by it: an
---attempt that was woken may have looked at less than a poll does.

local M = {}

---The milliseconds for which a watch counts as alive after it was alive.
M.ALIVE = 30000

---The milliseconds between two polls while the watch is alive, unless the waiter says another number.
M.WATCH_DELAY = 120000

---The milliseconds between a woken attempt and the next one, if a second event follows the first at once.
local FIRST_PAUSE = 10

---The table of a wait has eight of these members at most, as long as no Retry-After comes: with a ninth it would be
---twice as large. The delays, which all waits of a waiter have in common, are in their metatable.
---@class bide.Wakes
---@field min_delay integer
---@field watch_delay integer
---@field deadline integer
---@field poll_at integer when polling alone makes its next attempt
---@field rare_at integer when the next poll comes while the watch is alive
---@field ended_at integer when the last attempt ended
---@field not_before integer the time that a Retry-After asks for; 0 without one
---@field is_wanted boolean? whether an attempt is asked for that has not begun
---@field was_woken boolean? whether the last attempt was woken
---@field pause integer milliseconds after an attempt before a woken one
---@field wanted_at integer? when an attempt was asked for last
local Wakes = { not_before = 0, pause = 0 }
Wakes.__index = Wakes

---The metatables, by the two delays.
---@type table<string, table>
local classes = setmetatable({}, { __mode = "v" })

local function class_of(min_delay, watch_delay)
  local key = ("%d %d"):format(min_delay, watch_delay)
  local class = classes[key]
  if not class then
    class = { __index = setmetatable({ min_delay = min_delay, watch_delay = watch_delay }, Wakes) }
    classes[key] = class
  end
  return class
end

---@param min_delay integer
---@param watch_delay integer
---@param deadline integer
---@return bide.Wakes
function M.new(min_delay, watch_delay, deadline)
  return setmetatable({ deadline = deadline, poll_at = 0, rare_at = 0, ended_at = 0 }, class_of(min_delay, watch_delay))
end

---Handles the end of an attempt.
---@param now integer
---@param delay integer the delay that polling has chosen after it
---@param not_before integer the time that a Retry-After asks for; 0 without one
---@param is_close boolean whether the next polls must not become rare, since attempts in a row count
function Wakes:conclude(now, delay, not_before, is_close)
  local poll, rare = now + delay, math.min(now + self.watch_delay, self.deadline - self.min_delay)
  if self.was_woken then
    poll, rare = math.min(poll, self.poll_at), math.min(rare, self.rare_at)
  end
  self.poll_at = math.max(poll, not_before)
  self.rare_at = is_close and self.poll_at or math.max(rare, self.poll_at)
  self.ended_at = now
  if not_before ~= self.not_before then self.not_before = not_before end
end

---Asks for an attempt.
---@param now integer
function Wakes:wake(now)
  if not self.wanted_at or now - self.wanted_at >= self.min_delay then self.pause = nil end
  self.wanted_at, self.is_wanted = now, true
end

---Returns the time of the next poll. While the watch is alive this is also the time to look again, since it may have
---fallen silent by then.
local function next_poll(self, now, alive_at)
  local silent_at = alive_at and alive_at + M.ALIVE
  if not silent_at or silent_at <= now then return self.poll_at end
  return math.max(self.poll_at, math.min(self.rare_at, silent_at))
end

---Returns the time at which the next attempt is due, as far as is known now.
---@param now integer
---@param alive_at integer? when the watch was alive last; nil without a watch that is alive
---@return integer at
function Wakes:due(now, alive_at)
  local poll = next_poll(self, now, alive_at)
  if not self.is_wanted then return poll end
  return math.min(poll, math.max(self.ended_at + self.pause, self.not_before))
end

---Reports whether the last poll was made: only an event makes another attempt.
---@return boolean
function Wakes:has_polled()
  return self.poll_at >= self.deadline
end

---Handles the beginning of an attempt.
---@param now integer
---@param alive_at integer?
---@return boolean is_woken whether no poll was due, so that only an event has brought it forward
function Wakes:begin(now, alive_at)
  local is_woken = self.is_wanted ~= nil and next_poll(self, now, alive_at) > now
  if is_woken then
    self.pause = math.min(math.max(2 * self.pause, FIRST_PAUSE), self.min_delay)
  end
  self.is_wanted, self.was_woken = nil, is_woken or nil
  return is_woken
end

return M
