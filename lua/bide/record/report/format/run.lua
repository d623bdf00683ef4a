---A run as reports show it: the one model of all reporters, which know neither waits nor records. Its texts have no secrets,
---unless they are to be shown, and are not escaped.

local core = require "bide.core"
local error_class = require "bide.error_class"
local reasons = require "bide.wait.reasons"
local secret = require "bide.text.secret"

local M = {}

---The end of a wait, which its colour and its shape show.
---@alias bide.ReportedEnd "success"|"failure"|"cancelled"|"waiting"

---The result of an attempt. A "cut" one has no answer.
---@alias bide.AttemptKind "success"|"failure"|"retry"|"error"|"cut"

---@class bide.ReportedAttempt
---@field attempt integer
---@field kind bide.AttemptKind
---@field at number seconds since the wait began
---@field duration number seconds
---@field acceptor integer?
---@field name string? of the acceptor
---@field error string? in a few words
---@field note string?
---@field delay number? seconds until the next attempt
---@field woken boolean?
---@field saw string? what its answer was, in a few words

---@class bide.ReportedWait
---@field name string
---@field waiter string
---@field operation string?
---@field ended bide.ReportedEnd
---@field reason string? nil if it has not ended
---@field acceptor string? the name of the acceptor that decided
---@field message string
---@field lines string[]? what else is to be said, a line each
---@field began number seconds since the run began
---@field elapsed number seconds
---@field max_wait number? seconds
---@field attempts integer
---@field history bide.ReportedAttempt[]
---@field omitted integer the number of attempts that are left out of the middle of the history
---@field views bide.View[] what each acceptor looked at last; without `words` where only the value is known
---@field junit "success"|"failure"|"error"|"skipped"
---@field record table
local Wait = {}
Wait.__index = Wait

---@param name "input"|"output"
---@return string?
local function text_of_document(wait, name)
  local record = secret.clear(wait.record)
  if record[name] == nil then return nil end
  local mask = not secret.are_shown and secret.of(wait.record) or nil
  local is_input = name == "input"
  return assert(core.json.encode(record[name], { redact = mask, escape = true, indent = not is_input, input = is_input }))
end

---Returns the input as JSON on one line. It is made anew at each call.
---@return string? nil if it is not known
function Wait:input() return text_of_document(self, "input") end

---Returns the last output as indented JSON. It is made anew at each call, and may be long.
---@return string? nil if there was none
function Wait:output() return text_of_document(self, "output") end

---@param entry table of the history
---@return bide.AttemptKind
local function kind_of(entry)
  if not entry.state then return "cut" end
  return entry.state == "retry" and entry.error and "error" or entry.state
end

---An operation error in a few words, from a document or a table.
local function words_of_error(failure)
  if type(failure) == "userdata" then failure = failure:value() end
  local label = error_class.label(failure)
  local message = type(failure.message) == "string" and failure.message or ""
  return message == "" and label or ("%s: %s"):format(label, message)
end

---@param saw table<integer, string>
---@param mask bide.SecretMask?
---@return bide.ReportedAttempt[]
local function attempts_of(record, saw, mask)
  local list = {}
  local function text(value) return value and mask and mask:text(value) or value end
  for position, entry in ipairs(record.history or {}) do
    list[position] = {
      attempt = entry.attempt, kind = kind_of(entry), at = entry.at, duration = entry.duration, acceptor = entry.acceptor,
      name = entry.name, error = entry.error and text(words_of_error(entry.error)), note = text(entry.note),
      delay = entry.delay, woken = entry.woken, saw = saw[entry.attempt],
    }
  end
  return list
end

---@param mask bide.SecretMask?
---@return bide.View[]
local function views_of(record, sighting, mask)
  if sighting.views then return sighting.views end
  local list = {}
  for position, seen in ipairs(record.seen or {}) do
    local value = assert(core.json.encode(seen.value, { redact = mask, escape = true }))
    list[position] = { acceptor = seen.acceptor, saw = ("%s is %s"):format(seen.path, value) }
  end
  return list
end

---@return bide.ReportedEnd
local function end_of(record)
  if record.state == "success" then return "success" end
  if record.state ~= "failure" then return "waiting" end
  return record.reason == "cancelled" and "cancelled" or "failure"
end

---Returns what a wait is in JUnit. One that was cancelled is skipped only beside what decided the run: a signal that ended it
---leaves no run without an error.
---@param run bide.ReportedRun
local function junit_of(record, run)
  if record.state == "success" then return "success" end
  if run.state == "success" then return "skipped" end
  if record.reason == "cancelled" then return run.ends.failure > 0 and "skipped" or "error" end
  local row = reasons.rows[record.reason]
  return row and row.junit or "failure" -- a journal may have a reason of a later release
end

---A run that has ended, or the runs of a journal.
---@class bide.ReportedRun
---@field title string
---@field noun "wait"|"case" what its waits are
---@field state bide.ReportedEnd
---@field message string
---@field count integer the number of its waits
---@field began integer milliseconds since 1970
---@field elapsed number seconds, until its last wait ended
---@field ends table<bide.ReportedEnd, integer> how many waits have ended so
---@field attempts integer
---@field is_fleet boolean
---@field records table[] of its waits
---@field name_of fun(position: integer): string
---@field sightings table<integer, bide.Sighting>
---@field lines_of (fun(position: integer): string[]?)?
---@field judge (fun(position: integer): bide.ReportedEnd)?
local Run = {}
Run.__index = Run

---Returns a wait. It is made anew at each call, so that a report of many need not hold all.
---@param position integer from 1
---@return bide.ReportedWait
function Run:wait(position)
  local record, sighting = self.records[position], self.sightings[position] or { saw = {} }
  local mask, members = not secret.are_shown and secret.of(record) or nil, secret.clear(record)
  return setmetatable({
    record = record, name = self.name_of(position), waiter = record.waiter, operation = record.operation,
    ended = self:end_of(position), reason = record.reason, acceptor = record.name, message = members.message,
    lines = self.lines_of and self.lines_of(position) or nil, began = self:begin_of(position), elapsed = record.elapsed,
    max_wait = record.maxWait, attempts = record.attempts, history = attempts_of(record, sighting.saw or {}, mask),
    omitted = record.omitted or 0, views = views_of(record, sighting, mask), junit = junit_of(record, self),
  }, Wait)
end

---@param position integer
---@return bide.ReportedEnd
function Run:end_of(position)
  return self.judge and self.judge(position) or end_of(self.records[position])
end

---@param position integer
---@return number seconds since the run began
function Run:begin_of(position)
  local sighting = self.sightings[position]
  return sighting and sighting.began and (sighting.began - self.began) / 1000 or 0
end

---@param position integer
---@return number seconds
function Run:elapsed_of(position)
  return self.records[position].elapsed
end

---Returns the waits in their order, each when it is asked for.
---@return fun(): bide.ReportedWait?
function Run:waits()
  local position = 0
  return function()
    position = position + 1
    return position <= self.count and self:wait(position) or nil
  end
end

---The parts of a run.
---@class bide.RunParts
---@field title string
---@field noun ("wait"|"case")? "wait" by default
---@field state bide.ReportedEnd
---@field message string
---@field records table[]
---@field name_of fun(position: integer): string
---@field sightings table<integer, bide.Sighting>?
---@field lines_of (fun(position: integer): string[]?)?
---@field judge (fun(position: integer): bide.ReportedEnd)? of cases, whose end is not that of their wait
---@field is_fleet boolean

---@param parts bide.RunParts
---@return bide.ReportedRun
function M.new(parts)
  local run = setmetatable({
    title = parts.title, noun = parts.noun or "wait", state = parts.state, message = parts.message, records = parts.records,
    count = #parts.records,
    name_of = parts.name_of, sightings = parts.sightings or {}, lines_of = parts.lines_of,
    is_fleet = parts.is_fleet, judge = parts.judge,
    ends = { success = 0, failure = 0, cancelled = 0, waiting = 0 }, attempts = 0, elapsed = 0, began = math.maxinteger,
  }, Run)
  for _, sighting in pairs(run.sightings) do run.began = math.min(run.began, sighting.began or math.maxinteger) end
  for position, record in ipairs(run.records) do
    local ended = run:end_of(position)
    run.ends[ended], run.attempts = run.ends[ended] + 1, run.attempts + record.attempts
    run.elapsed = math.max(run.elapsed, run:begin_of(position) + record.elapsed)
  end
  if run.began == math.maxinteger then run.began = core.loop.wall() - math.floor(run.elapsed * 1000) end
  return run
end

---Returns the run of one wait.
---@param record table the outcome
---@param sightings bide.Sightings?
---@return bide.ReportedRun
function M.of_one(record, sightings)
  return M.new {
    title = record.waiter, state = end_of(record), message = secret.clear(record).message, records = { record },
    name_of = function() return record.waiter end, sightings = sightings and sightings.of, is_fleet = false,
  }
end

---Returns the run of a fleet.
---@param fleet bide.FleetRecord
---@param name_of fun(position: integer): string
---@param sightings bide.Sightings?
---@return bide.ReportedRun
function M.of_fleet(fleet, name_of, sightings)
  return M.new {
    title = ("A run of %d %s"):format(fleet.count, fleet.count == 1 and "wait" or "waits"), state = fleet.state,
    message = fleet.message, records = fleet.records,
    name_of = name_of, sightings = sightings and sightings.of, is_fleet = true,
  }
end

return M
