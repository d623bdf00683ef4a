---Progress on standard error: a live line on a terminal; elsewhere a line when the observed state
---changes, and a heartbeat, so that nobody kills a silent job.

local core = require "bide.core"
local duration = require "bide.duration"
local secret = require "bide.secret"
local evidence = require "bide.outcome.evidence"
local shown = require "bide.shown"
local streak = require "bide.wait.streak"

local loop = core.loop

local HEARTBEAT = 30000 -- milliseconds without a line
local TICK = 1000       -- between two redraws of the live line

---@class bide.Progress
---@field live boolean whether the terminal can redraw a line
---@field verbose boolean whether every attempt has a line
local Progress = {}
Progress.__index = Progress

local function ring(progress)
  if progress.live then progress:draw() else progress:say("still waiting") end
  progress:wind()
end

---@param options { live: boolean, verbose: boolean, heartbeat: boolean }
---@return bide.Progress
local function new(options)
  local progress = setmetatable({
    live = options.live and not options.verbose, verbose = options.verbose,
  }, Progress)
  progress.alarm = options.heartbeat and loop.alarm(ring, progress)
  return progress
end

---Sets the alarm for the next redraw or heartbeat.
function Progress:wind()
  if self.alarm then self.alarm:start(loop.now() + (self.live and TICK or HEARTBEAT)) end
end

local function clock(progress)
  local wait = progress.wait
  return ("%s of %s"):format(duration.format(loop.now() - wait.state:started()), duration.format(wait.max_wait))
end

---`ThingExists: attempt 3, 6.2 s of 5 m: status is "pending", next in 2 s`
function Progress:line(word)
  local wait, parts = self.wait, {}
  word = word or wait.attempts == 0 and "no attempt yet" or ("attempt %d"):format(wait.attempts)
  parts[1] = ("%s: %s, %s"):format(wait.waiter.name, word, clock(self))
  if self.state then parts[2] = self.streak and self.state .. ", " .. self.streak or self.state end
  local text = table.concat(parts, ": ")
  if not self.due then return text end
  return ("%s, next in %s"):format(text, duration.format(math.max(self.due - loop.now(), 0)))
end

function Progress:draw()
  shown.draw(self:line())
end

function Progress:say(word)
  shown.note(self:line(word))
  self:wind()
end

---Warns at once if an error is tolerated that would have ended the wait.
function Progress:handle_streak(wait)
  local text, kind, count = streak.describe(wait.state)
  local tolerates = kind == "tolerated" and self.due
  self.streak = (kind == "held" or tolerates) and text or nil
  if not tolerates or count > 1 then return end
  if self.live then shown.erase() end
  shown.note(("%s: warning: no acceptor matched the %s: %s"):format(wait.waiter.name, self.state, text))
end

function Progress:started(wait, first)
  self.wait, self.due = wait, first > loop.now() and first or nil
  self:wind()
end

function Progress:attempted(wait, entry)
  local mask = not secret.are_shown and secret.of_entry(wait, entry) or nil
  local state = evidence.of_wait(wait, entry.error and wait:failure(), mask)
  if not entry.state then state = wait.script_error and "a script error" or "cut off at the deadline" end
  local changed = state ~= self.state
  self.state, self.due = state, entry.delay and loop.now() + duration.of_seconds(entry.delay)
  self:handle_streak(wait)
  if self.live then return self:draw() end
  if self.verbose or changed then self:say() end
end

function Progress:ended()
  if self.alarm then self.alarm:stop() end
  if self.live then shown.erase() end
end

return { new = new }
