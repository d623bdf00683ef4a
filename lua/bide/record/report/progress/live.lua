---Decides when progress is drawn on a terminal: soon after something has changed, and in between as often as the spinner
---and the clock need. A long sleep costs one drawing a second.

local core = require "bide.core"
local shown = require "bide.text.shown"

local loop = core.loop

---The milliseconds until the first drawing, so that a wait that ends at once leaves no trace; between two drawings; between
---two turns of the spinner; between two drawings while nothing happens.
local FIRST, SHORTEST, TURN, IDLE = 100, 100, 200, 1000

---The milliseconds before the next attempt, and after an event, in which the spinner turns.
local LIVELY = 10000

---@class bide.Live
---@field lay_out fun(turn: integer, width: integer, height: integer): bide.Span[][]
---@field due_at fun(): integer? when the next thing happens, as far as it is known
---@field turn integer of the spinner
---@field changed_at integer
---@field drawn_at? integer nil while nothing is shown
---@field alarm bide.Alarm
---@field rings_at? integer
local Live = {}
Live.__index = Live

local function ring(live)
  live:draw()
end

---@param lay_out fun(turn: integer, width: integer, height: integer): bide.Span[][]
---@param due_at fun(): integer? when the next attempt begins, as far as it is known
---@return bide.Live
local function new(lay_out, due_at)
  local live = setmetatable({ lay_out = lay_out, due_at = due_at, turn = 0 }, Live)
  live.alarm = loop.alarm(ring, live)
  return live
end

---Sets the alarm, unless it rings sooner.
local function ring_by(live, at)
  if live.rings_at and live.rings_at <= at then return end
  live.rings_at = at
  live.alarm:start(at)
end

local function pause_of(live, now)
  local due = live.due_at()
  local idle_for = due and due > now and due - now or now - live.changed_at
  return idle_for < LIVELY and TURN or IDLE
end

---Draws now.
function Live:draw()
  local now, width, height = loop.now(), shown.window()
  shown.draw(self.lay_out(self.turn, width - 1, height - 1)) -- a full line would leave the cursor in doubt
  self.turn, self.drawn_at, self.rings_at = self.turn + 1, now, nil
  ring_by(self, now + pause_of(self, now))
end

---Has the lines drawn soon, since something has changed.
function Live:change()
  local now = loop.now()
  self.changed_at = now
  ring_by(self, self.drawn_at and math.max(self.drawn_at + SHORTEST, now) or now + FIRST)
end

---Draws the lines again, below a line that was written.
function Live:redraw()
  if self.drawn_at then self:draw() end
end

---Removes the lines, until something changes.
function Live:stop()
  self.alarm:stop()
  self.drawn_at, self.rings_at = nil, nil
  shown.erase()
end

---Removes what a progress has drawn, or stops its log, until another wait starts.
---@param progress bide.Progress|bide.FleetProgress
local function close(progress)
  if progress.alarm then progress.alarm:stop() end
  if progress.live then progress.live:stop() end
  shown.end_group()
end

return { new = new, close = close }
