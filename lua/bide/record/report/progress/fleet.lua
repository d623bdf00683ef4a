---Progress of many waits, on standard error: on a terminal their counts by state, the slowest of them, and each failure as
---it happens; elsewhere a line with the counts when they have changed, and a heartbeat.

local core = require "bide.core"
local duration = require "bide.text.duration"
local evidence = require "bide.wait.evidence"
local layout = require "bide.record.report.progress.layout"
local live = require "bide.record.report.progress.live"
local secret = require "bide.text.secret"
local shown = require "bide.text.shown"
local turns = require "bide.record.report.progress.turns"

local loop = core.loop

---In a log: the milliseconds until the first line, between two lines while the fleet is young, and at most. In between, a
---tenth of the time so far passes from one line to the next.
local FIRST, SHORTEST, HEARTBEAT = 1000, 5000, 30000

---The most waits that are shown one by one, and the most that are examined to find them.
local SLOWEST, EXAMINED = 5, 1000

---The most failures that are written as they happen, unless --verbose is given.
local MOST_FAILURES = 100

---The rate is that of the last SPAN milliseconds, measured once in SAMPLE.
local SPAN, SAMPLE = 10000, 1000

---@class bide.FleetProgress
---@field count integer how many waits there are
---@field verbose boolean whether every attempt has a line
---@field label fun(wait: bide.Wait, key: any): string
---@field began integer
---@field limit integer the longest max wait
---@field name? string|false the waiter; false if the waits have several
---@field gates table<bide.Gate, boolean> those of --jobs
---@field running integer how many have started and not ended
---@field in_flight integer how many of them make an attempt
---@field due table<bide.Wait, boolean> those whose first attempt is due
---@field due_count integer
---@field seen table<bide.Wait, { stage: integer, text: string? }> the last states of those that were shown
---@field order bide.Wait[] all that have started
---@field head integer the first in the order that may still be running
---@field succeeded integer
---@field failed integer
---@field cancelled integer
---@field attempts integer those of earlier processes included
---@field made integer attempts of this process
---@field tolerated integer errors
---@field samples { at: integer, made: integer }[]
---@field live? bide.Live the drawn lines
---@field alarm? bide.Alarm of the next line of a log
---@field said_at? integer when the last one was written
---@field rings_at? integer when the next one is, if anything has changed
local FleetProgress = {}
FleetProgress.__index = FleetProgress

-- ---- what is shown --------------------------------------------------------------------------

---Returns the attempts per second of late; nil within the first second, and before the first attempt has ended.
local function rate_of(progress, now)
  local samples = progress.samples
  if now - samples[#samples].at >= SAMPLE then
    samples[#samples + 1] = { at = now, made = progress.made }
    while #samples > 2 and now - samples[2].at >= SPAN do table.remove(samples, 1) end
  end
  local first, last = samples[1], samples[#samples]
  return last ~= first and last.made > 0 and (last.made - first.made) * 1000 / (last.at - first.at) or nil
end

---Returns the last state that was seen. An answer may be large, so it is examined once and not at each drawing.
local function seen_by(progress, wait)
  local known, stage = progress.seen[wait], wait.task and -wait:made() or wait:made()
  if known and known.stage == stage then return known.text end
  local mask = not secret.are_shown and secret.of_wait(wait) or nil
  local text = evidence.of(wait, mask):line(wait:failure())
  progress.seen[wait] = { stage = stage, text = text }
  return text
end

---@param wait bide.Wait
---@return bide.layout.Wait
local function model_of_wait(progress, wait)
  return {
    name = progress.label(wait, wait.key), seen = seen_by(progress, wait), attempt = wait:made(),
    elapsed = loop.now() - wait.state:started(), limit = wait.max_wait, state = turns.state_of(wait),
  }
end

---Returns some of the waits that have been running longest.
local function slowest(progress)
  local order, models = progress.order, {}
  while order[progress.head] and order[progress.head].ended do
    order[progress.head], progress.head = false, progress.head + 1
  end
  for position = progress.head, math.min(#order, progress.head + EXAMINED) do
    local wait = order[position]
    if not wait.ended and #models < SLOWEST then models[#models + 1] = model_of_wait(progress, wait) end
  end
  return models
end

---Returns how many waits are queued, asking and sleeping.
local function states_of(progress)
  local at_gates, in_lines = 0, math.min(turns.in_lines(), progress.in_flight)
  for gate in pairs(progress.gates) do at_gates = at_gates + gate.line.count end
  local waiting = math.max(at_gates, progress.due_count)
  local to_come = progress.count - progress.running - progress.succeeded - progress.failed - progress.cancelled
  return to_come + waiting + in_lines, progress.in_flight - in_lines,
    math.max(progress.running - progress.in_flight - waiting, 0)
end

---@return bide.layout.Fleet
local function model_of(progress)
  local now, queued, asking, sleeping = loop.now(), states_of(progress)
  return {
    name = progress.name or nil, count = progress.count, queued = queued, asking = asking, sleeping = sleeping,
    succeeded = progress.succeeded, failed = progress.failed, cancelled = progress.cancelled,
    attempts = progress.attempts, tolerated = progress.tolerated, rate = rate_of(progress, now),
    elapsed = now - progress.began, limit = progress.limit, slowest = {},
  }
end

local function lay_out(progress, turn, width, height)
  local model = model_of(progress)
  model.slowest = slowest(progress)
  return layout.fleet(model, turn, width, height)
end

---Writes a line of a log.
local function say(progress)
  local now = loop.now()
  progress.said_at, progress.rings_at = now, nil
  shown.note(layout.line_of_fleet(model_of(progress)))
  progress.alarm:start(now + HEARTBEAT)
end

---Has a line of a log written, unless one is due sooner.
local function say_by(progress, at)
  if progress.rings_at and progress.rings_at <= at then return end
  progress.rings_at = at
  progress.alarm:start(at)
end

---Has the change shown, but not more often than people can read.
---@param is_urgent? boolean
local function change(progress, is_urgent)
  if progress.live then return progress.live:change() end
  if progress.rings_at and not is_urgent then return end
  local now, said_at = loop.now(), progress.said_at
  local pause = math.min(math.max((now - progress.began) // 10, SHORTEST), HEARTBEAT)
  local at = said_at and said_at + pause or progress.began + FIRST
  say_by(progress, is_urgent and now or math.max(now, at))
end

---@class bide.FleetProgressOptions
---@field count integer how many waits there are
---@field live boolean whether standard error can redraw lines
---@field verbose? boolean whether every attempt has a line
---@field label fun(wait: bide.Wait, key: any): string what a wait is called

---@param options bide.FleetProgressOptions
---@return bide.FleetProgress
local function new(options)
  local now = loop.now()
  local progress = setmetatable({
    count = options.count, verbose = options.verbose or false, label = options.label, began = now, limit = 0, gates = {},
    running = 0, in_flight = 0, due = {}, due_count = 0, seen = setmetatable({}, { __mode = "k" }), order = {}, head = 1,
    succeeded = 0, failed = 0, cancelled = 0, attempts = 0, made = 0, tolerated = 0, samples = { { at = now, made = 0 } },
  }, FleetProgress)
  if options.live and not options.verbose then
    progress.live = live.new(function(...) return lay_out(progress, ...) end, function() return nil end)
  else
    progress.alarm = loop.alarm(say, progress)
  end
  shown.begin_group(("bide: %d waits"):format(options.count))
  return progress
end

-- ---- what happens ---------------------------------------------------------------------------

local function forget_due(progress, wait)
  if not progress.due[wait] then return end
  progress.due[wait], progress.due_count = nil, progress.due_count - 1
end

---@param wait bide.Wait
---@param first integer when its first attempt begins
function FleetProgress:started(wait, first)
  self.running, self.attempts = self.running + 1, self.attempts + wait:made() -- more than 0 if it is resumed
  self.limit = math.max(self.limit, wait.max_wait)
  if self.name == nil then self.name = wait.waiter.name end
  if self.name ~= wait.waiter.name then self.name = false end
  if wait.gate then self.gates[wait.gate] = true end
  if first <= loop.now() then self.due[wait], self.due_count = true, self.due_count + 1 end
  if wait.state then self.order[#self.order + 1] = wait end -- without a state it was recorded as ended
  change(self)
end

---@param wait bide.Wait
function FleetProgress:attempting(wait)
  forget_due(self, wait)
  self.in_flight = self.in_flight + 1
  change(self)
end

---Writes the line of an attempt.
local function say_attempt(progress, wait, attempt)
  local model = model_of_wait(progress, wait)
  local mask = not secret.are_shown and secret.of_entry(wait, attempt) or nil
  model.next, model.note = duration.of_seconds(attempt.delay), wait.note and mask and mask:text(wait.note) or wait.note
  if not attempt.state then model.seen = turns.words_of_cut(wait) end
  shown.note(layout.line_of_wait(model))
end

---@param wait bide.Wait
---@param attempt bide.Attempt
function FleetProgress:attempted(wait, attempt)
  self.in_flight, self.attempts, self.made = self.in_flight - 1, self.attempts + 1, self.made + 1
  local is_tolerated = attempt.delay and wait.state:streak() == "tolerated"
  if is_tolerated then self.tolerated = self.tolerated + 1 end
  if self.verbose then say_attempt(self, wait, attempt) end
  change(self, is_tolerated and self.tolerated == 1)
end

---Writes a failure at once, with what the wait is called.
local function say_failure(progress, wait, record)
  local message, name = secret.clear(record).message, progress.label(wait, wait.key)
  local line = ("%s: %s"):format(name, message)
  if shown.is_in_workflow then return shown.annotate(message, name, line) end
  if progress.verbose or progress.failed <= MOST_FAILURES then
    shown.note_early(line, "failed")
  elseif progress.failed == MOST_FAILURES + 1 then
    shown.note(("more than %d waits failed; further failures are not listed here"):format(MOST_FAILURES))
  end
  if progress.live then progress.live:redraw() end
end

---@param wait bide.Wait
---@param record table
function FleetProgress:ended(wait, record)
  local how = record.state == "success" and "succeeded" or record.reason == "cancelled" and "cancelled" or "failed"
  forget_due(self, wait)
  self.running, self[how] = self.running - 1, self[how] + 1
  if how == "failed" and wait.state then say_failure(self, wait, record) end
  if self.succeeded + self.failed + self.cancelled < self.count then
    return change(self, not wait.state) -- the counts begin with what had ended
  end
  self:close()
end

FleetProgress.close = live.close

return { new = new }
