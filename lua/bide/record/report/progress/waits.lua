---Progress of one wait or a few, on standard error: a line for each on a terminal; elsewhere a line when the observed
---state changes, and a heartbeat, so that no supervisor kills a silent job.

local core = require "bide.core"
local duration = require "bide.text.duration"
local evidence = require "bide.wait.evidence"
local is_failure = require("bide.wait.reasons").is_failure
local layout = require "bide.record.report.progress.layout"
local live = require "bide.record.report.progress.live"
local secret = require "bide.text.secret"
local shown = require "bide.text.shown"
local streak = require "bide.recipe.waiter.streak"
local turns = require "bide.record.report.progress.turns"

local loop = core.loop

local HEARTBEAT = 30000 -- milliseconds without a line
local AGING = 5000      -- milliseconds between two lines that differ in ages only
local MOST_LINES = 20   -- drawn, or written at once

---The least number of entries of waits that are gone for which the list is made anew.
local MOST_GONE = 16

---The progress of one wait.
---@class bide.ProgressEntry
---@field wait bide.Wait
---@field name string
---@field seen? string
---@field streak? string
---@field due? integer when the next attempt begins
---@field wish? string what Retry-After has to do with that
---@field said_at? integer when its last line was written
---@field record? table the outcome
---@field is_gone? boolean whether it is not shown any more

---@class bide.Progress
---@field verbose boolean whether every attempt has a line
---@field count? integer how many waits the command makes; nil if a script makes them
---@field label fun(wait: bide.Wait, key: any): string
---@field entries bide.ProgressEntry[] in the order in which they began
---@field gone integer how many of them are gone
---@field of_wait table<bide.Wait, bide.ProgressEntry> those that have not ended
---@field running integer
---@field live? bide.Live the drawn lines
---@field alarm? bide.Alarm the heartbeat of what is not drawn
local Progress = {}
Progress.__index = Progress

local function name_of(wait)
  return wait.waiter.name
end

-- ---- what is shown --------------------------------------------------------------------------

---@param entry bide.ProgressEntry
---@return bide.layout.Wait
local function model_of(entry)
  local wait, now, record = entry.wait, loop.now(), entry.record
  if record then
    local state = record.state == "success" and "succeeded" or "failed"
    return { name = entry.name, state = state, message = secret.clear(record).message }
  end
  return {
    name = entry.name, seen = entry.streak and ("%s, %s"):format(entry.seen, entry.streak) or entry.seen,
    attempt = wait:made(), elapsed = now - wait.state:started(), limit = wait.max_wait, state = turns.state_of(wait),
    next = entry.due and not wait.place and math.max(entry.due - now, 0) or nil, wish = entry.wish,
  }
end

local function lay_out(progress, turn, width, height)
  local models, shown_count = {}, #progress.entries - progress.gone
  height = math.min(height, MOST_LINES)
  for _, entry in ipairs(progress.entries) do
    if #models == height then break end
    if not entry.is_gone then models[#models + 1] = model_of(entry) end
  end
  return layout.waits(models, shown_count, turn, width, height)
end

---Returns when the next attempt begins.
local function next_due(progress)
  local earliest
  for _, entry in ipairs(progress.entries) do
    if entry.due then earliest = math.min(entry.due, earliest or entry.due) end
  end
  return earliest
end

---Sets the alarm of the heartbeat.
local function wind(progress)
  if progress.alarm then progress.alarm:start(loop.now() + HEARTBEAT) end
end

---Writes a line of a log.
---@param word? string in place of the attempt
---@param note? string on the attempt
local function say(progress, entry, word, note)
  local model = model_of(entry)
  model.note = note
  shown.note(layout.line_of_wait(model, word))
  entry.said_at = loop.now()
  wind(progress)
end

local units = { ms = true, s = true, m = true, h = true, d = true }

---Returns a text without its durations: `written to 0.3 s ago` grows older and says nothing new.
local function without_ages(text)
  return (text:gsub("%d[%d.]* ?(%a+)", function(unit) return units[unit] and "" or nil end))
end

---Reports whether a state that was seen is worth a line: it has changed, or has become older a while after the last line.
---@param seen string?
---@param before string?
---@return boolean
local function is_news(entry, seen, before)
  if seen == before then return false end
  if not seen or not before or not entry.said_at or without_ages(seen) ~= without_ages(before) then return true end
  return loop.now() - entry.said_at >= AGING
end

local function beat(progress)
  local said = 0
  for _, entry in ipairs(progress.entries) do
    if progress.of_wait[entry.wait] and said < MOST_LINES then
      say(progress, entry, "still waiting")
      said = said + 1
    end
  end
  if said < progress.running then shown.note(("… and %d more waits"):format(progress.running - said)) end
end

---@class bide.ProgressOptions
---@field live boolean whether standard error can redraw lines
---@field verbose? boolean whether every attempt has a line
---@field heartbeat? boolean whether there is a clock for it, which there is not in a replay
---@field count? integer how many waits the command makes; nil if a script makes them
---@field label? fun(wait: bide.Wait, key: any): string what a wait is called; its waiter's name otherwise

---@param options bide.ProgressOptions
---@return bide.Progress
local function new(options)
  local progress = setmetatable({
    verbose = options.verbose or false, count = options.count, label = options.label or name_of, entries = {}, gone = 0,
    of_wait = {}, running = 0,
  }, Progress)
  if options.live and not options.verbose then
    progress.live = live.new(function(...) return lay_out(progress, ...) end, function() return next_due(progress) end)
  elseif options.heartbeat then
    progress.alarm = loop.alarm(beat, progress)
  end
  return progress
end

-- ---- what happens ---------------------------------------------------------------------------

---@param wait bide.Wait
---@param first integer when its first attempt begins
function Progress:started(wait, first)
  shown.begin_group "bide: progress"
  local entry = { wait = wait, name = self.label(wait, wait.key), due = first > loop.now() and first or nil }
  self.entries[#self.entries + 1], self.of_wait[wait] = entry, entry
  self.running = self.running + 1
  if self.live then self.live:change() else wind(self) end
end

---@param wait bide.Wait
function Progress:attempting(wait)
  self.of_wait[wait].due = nil
  if self.live then self.live:change() end
end

---Writes a note, above the drawn lines if there are any.
local function note(progress, text, style)
  shown.note(text, style)
  if progress.live then progress.live:redraw() end
end

---Warns at once if an error is tolerated that would have ended the wait.
local function handle_streak(progress, entry)
  local text, kind, count = streak.describe(entry.wait.state)
  local tolerates = kind == "tolerated" and entry.due
  entry.streak = (kind == "held" or tolerates) and text or nil
  if not tolerates or count > 1 then return end
  note(progress, ("%s: warning: no acceptor matched the %s: %s"):format(entry.name, entry.seen, text))
end

---@param wait bide.Wait
---@param attempt bide.Attempt
function Progress:attempted(wait, attempt)
  local entry = self.of_wait[wait]
  local mask = not secret.are_shown and secret.of_entry(wait, attempt) or nil
  local seen = evidence.of(wait, mask):line(attempt.error and wait:failure())
  if not attempt.state then seen = turns.words_of_cut(wait) end
  local delay = duration.of_seconds(attempt.delay)
  local wish = turns.words_of_wish(wait, delay)
  local has_changed = is_news(entry, seen, entry.seen) or wish ~= entry.wish
  entry.seen, entry.wish, entry.due = seen, wish, delay and loop.now() + delay
  handle_streak(self, entry)
  if self.live then return self.live:change() end
  if self.verbose then return say(self, entry, nil, wait.note and mask and mask:text(wait.note) or wait.note) end
  local is_last_of_several = not attempt.delay and (self.count or 1) > 1 -- its end follows, with the reason
  if has_changed and not is_last_of_several and self.running <= MOST_LINES then say(self, entry) end
end

---Says how a wait of several has ended.
local function say_end(progress, entry)
  local record = entry.record
  if progress.live or shown.is_in_workflow and is_failure(record) then return end
  local style = record.state == "success" and "succeeded" or "failed"
  shown.note_early(("%s: %s"):format(entry.name, secret.clear(record).message), style)
end

---A wait of a script has no line any more, since the script itself reports how it ended.
local function forget(progress, entry)
  entry.is_gone, entry.due, progress.gone = true, nil, progress.gone + 1
  if progress.gone <= MOST_GONE or progress.gone * 2 < #progress.entries then return end
  local entries = {}
  for _, other in ipairs(progress.entries) do
    if not other.is_gone then entries[#entries + 1] = other end
  end
  progress.entries, progress.gone = entries, 0
end

local function stop_if_idle(progress)
  if progress.running == 0 then return progress:close() end
  if progress.live then progress.live:change() end
end

---@param wait bide.Wait
---@param record table
function Progress:ended(wait, record)
  local entry = self.of_wait[wait]
  self.of_wait[wait], self.running, entry.record, entry.due = nil, self.running - 1, record, nil
  if not self.count then forget(self, entry) end
  stop_if_idle(self)
  if (self.count or 0) > 1 then say_end(self, entry) end
  if self.count and shown.is_in_workflow and is_failure(record) then
    local message = secret.clear(record).message
    shown.annotate(message, entry.name, self.count > 1 and ("%s: %s"):format(entry.name, message) or message)
  end
end

---Nothing waits for the wait any longer, so that it has no outcome.
---@param wait bide.Wait
function Progress:abandoned(wait)
  local entry = self.of_wait[wait]
  self.of_wait[wait], self.running = nil, self.running - 1
  forget(self, entry)
  stop_if_idle(self)
end

Progress.close = live.close

return { new = new }
