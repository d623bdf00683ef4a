---Progress of many waits on standard error: how many have ended and how, when that
---changes, at most once a second, and a heartbeat.

local core = require "bide.core"
local shown = require "bide.shown"

local loop = core.loop

local PAUSE, HEARTBEAT = 1000, 30000 -- milliseconds

---@class bide.FleetProgress
local FleetProgress = {}
FleetProgress.__index = FleetProgress

local function ring(progress)
  progress:say()
end

---@param count integer how many waits there are
---@param live boolean whether standard error is a terminal that can redraw a line
---@return bide.FleetProgress
local function new(count, live)
  local progress = setmetatable({
    count = count, live = live, succeeded = 0, failed = 0, attempts = 0, tolerated = 0, said = 0,
  }, FleetProgress)
  progress.alarm = loop.alarm(ring, progress)
  return progress
end

function FleetProgress:line()
  local ended = self.succeeded + self.failed
  local text = ("%d of %d waits have ended: %d succeeded, %d failed; %d attempts"):format(ended, self.count,
    self.succeeded, self.failed, self.attempts)
  if self.tolerated == 0 then return text end
  return ("%s; warning: %d error%s tolerated"):format(text, self.tolerated, self.tolerated == 1 and "" or "s")
end

function FleetProgress:say()
  self.due, self.said = nil, loop.now()
  if self.live then shown.draw(self:line()) else shown.note(self:line()) end
  self.alarm:start(loop.now() + (self.live and PAUSE or HEARTBEAT))
end

---Says what has changed, but not more often than people can read.
function FleetProgress:changed()
  if self.due then return end
  self.due = math.max(loop.now(), self.said + PAUSE)
  self.alarm:start(self.due)
end

function FleetProgress:started(wait)
  self.attempts = self.attempts + wait.attempts -- of one that is resumed
  if not self.due then self.alarm:start(loop.now() + HEARTBEAT) end
end

function FleetProgress:attempted(wait, entry)
  self.attempts = self.attempts + 1
  if not entry.delay or wait.state:streak() ~= "tolerated" then return end
  self.tolerated = self.tolerated + 1
  if self.tolerated == 1 then self:changed() end
end

function FleetProgress:ended(_, record)
  local which = record.state == "success" and "succeeded" or "failed"
  self[which] = self[which] + 1
  if self.succeeded + self.failed < self.count then return self:changed() end
  self.alarm:stop()
  if self.live then shown.erase() end
end

return { new = new }
