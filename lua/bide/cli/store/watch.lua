---Follows a run of a store to its end, and reports it as `bide run` reports its own.

local await = require "bide.task.await"
local core = require "bide.core"
local duration = require "bide.text.duration"
local ends_of_run = require "bide.cli.store.ends"
local exit_code = require "bide.cli.ending.exit_code"
local fleets = require "bide.wait.fleet"
local output = require "bide.cli.report.output"
local reasons = require "bide.wait.reasons"
local results = require "bide.cli.report.result"
local run_events = require "bide.cli.store.run_events"
local shown = require "bide.text.shown"
local tables = require "bide.text.tables"

local json, loop = core.json, core.loop

local M = {}

---In milliseconds: between two looks at the run, at first and later; before a line says that there is no worker; between two
---lines of progress.
local FIRST, LATER, PATIENCE, HEARTBEAT = 50, 1000, 5000, 10000

---In microseconds: the time after the deadline when a run that no worker ends is over.
local OVER = 60 * 1000000

-- ---- the result ---------------------------------------------------------------------------------

---Counts a run that has ended, as the record of a fleet.
---@param counters bide.record.Counters
---@param ends bide.record.End[] in the order of their ranks
---@param records table[] by position
---@return bide.FleetRecord
local function fleet_record(counters, ends, records, keeps_going)
  local first
  for _, one in ipairs(ends) do
    local record = records[one.position]
    if reasons.is_failure(record) then
      first = one
      break
    end
  end
  local is_lost = not keeps_going and counters.waits - counters.failed < counters.need
  local fleet = {
    state = counters.state, needed = counters.need, count = counters.waits, succeeded = counters.succeeded,
    failed = counters.failed, cancelled = counters.cancelled, records = records,
    interrupted = counters.state ~= "success" and counters.cancelled > 0 and not is_lost,
    first_failed = first and first.position,
  }
  fleet.message = fleets.counts(fleet)
  if first and fleet.state ~= "success" then
    fleet.message = ("%s; first failure: %s: %s"):format(fleet.message, first.label, records[first.position].message)
  end
  return fleet
end

---The signal of a run that was cancelled: that with which programs are asked to end.
local TERM = 15

---Reads what a run that has ended consists of, and how its waits ended.
---@param counters bide.record.Counters
---@param ends bide.record.End[]
---@return { fleet: boolean?, named: boolean?, worst: boolean?, keepsGoing: boolean? }? about nil if the rows are not those that
---bide wrote
---@return table[]|string records by position; or the mistake
local function read_rows(counters, ends)
  local about = json.decode(counters.about)
  local records, mistake = ends_of_run.read(counters, ends)
  if not records then return nil, assert(mistake) end
  if type(about) ~= "table" or not about.fleet and counters.waits ~= 1 then
    return nil, ("run %d: what it consists of is not what bide wrote"):format(counters.run)
  end
  return about, records
end

---@param counters bide.record.Counters
---@param ends bide.record.End[]
---@return bide.cli.Result? result nil if the rows are not those that bide wrote
---@return string? mistake
local function result_of(options, counters, ends, codes)
  local about, records = read_rows(counters, ends)
  if not about then return nil, records --[[@as string]] end
  if not about.fleet then return results.of_one(records[1], TERM, { codes = { codes } }) end
  local labels, places = {}, {}
  for _, one in ipairs(ends) do
    labels[one.position], places[one.position] = one.label or one.waiter, one.position
  end
  local fleet = fleet_record(counters, ends, records --[[@as table[] ]], about.keepsGoing)
  local has_lines = about.named and #labels <= 20
  return results.of_fleet(fleet, TERM, {
    codes = {}, prepared = places, names = about.named and labels or nil, takes_worst = about.worst,
    label = function(_, position) return labels[position] end,
    lines = function(record)
      return require("bide.record.report.fleet_summary").lines(record, function(position) return labels[position] end,
        options.verbose or has_lines)
    end,
  })
end

-- ---- following ----------------------------------------------------------------------------------

---@class bide.cli.Watch
---@field options table of the command line
---@field store bide.Store
---@field run integer
---@field codes table<string, integer>? exit codes of named outcomes
---@field ends bide.record.End[]
---@field events bide.cli.RunEvents? those that were asked for
---@field began integer when it began to watch
---@field shown_at integer
---@field is_known boolean? whether the store has answered
---@field is_away boolean? whether it does not answer now
---@field is_stopped boolean?
local Watch = {}
Watch.__index = Watch

---Says how far the run is, and once that no worker serves its queue.
---@param counters bide.record.Counters
local function report(watch, counters)
  local now = loop.update()
  if watch.options.quiet then return end
  if counters.workers == 0 and counters.open > 0 and not watch.is_missing and now - watch.began >= PATIENCE then
    watch.is_missing = true
    shown.complain(("no worker serves the queue %s: `bide worker --store %s` begins one"):format(counters.queue,
      watch.store.url))
  end
  if now - watch.shown_at < HEARTBEAT then return end
  watch.shown_at = now
  local since = duration.format((counters.clock - counters.began) // 1000000 * 1000)
  shown.complain(("run %d: %d of %d wait%s ended after %s"):format(watch.run, counters.waits - counters.open, counters.waits,
    counters.waits == 1 and " has" or "s have", since))
end

---Notes whether the store answers, and says once that it does not.
---@param failure bide.record.Failure?
local function note_answer(watch, failure)
  if failure and not watch.is_away then
    shown.complain(("warning: %s; watching again once it can be reached"):format(failure.message))
  end
  watch.is_away, watch.is_known = failure ~= nil, watch.is_known or not failure
end

---Reads what has happened since the last time.
---@return bide.record.Counters?
---@return bide.record.Failure? failure
local function read(watch)
  local counters, ends
  repeat
    local last = watch.ends[#watch.ends]
    counters, ends = watch.store:follow(watch.run, last and last.rank or 0)
    if not counters then return nil, ends end
    tables.append(watch.ends, ends)
    if #watch.ends > counters.waits then
      return nil, { kind = "broken", message = ("run %d: more waits have ended than it has"):format(watch.run) }
    end
  until #ends == 0 or watch.is_stopped
  if watch.events then
    local done, failure = watch.events:read(counters, watch.ends)
    if not done then return nil, failure end
  end
  return counters
end

---Returns the mistake in the exit codes of a run. What an earlier release has submitted does not say its names.
---@param counters bide.record.Counters
---@return string?
local function mistake_in_codes(watch, counters)
  local about = json.decode(counters.about)
  if not watch.codes or type(about) ~= "table" then return nil end
  if about.fleet then
    return ("--exit-code is for a run of one wait, and run %d is a list of %d"):format(watch.run, counters.waits)
  end
  if type(about.outcomes) ~= "table" then return nil end
  local names = {}
  for _, name in ipairs(about.outcomes) do
    if type(name) == "string" then names[#names + 1] = name end
  end
  return exit_code.mistake_in_names(watch.codes, names, "run " .. watch.run)
end

---Follows the run until it has ended. Before the first answer the deadline is not known, and counts as over.
---@return bide.record.Counters? counters nil if the watching was stopped, or the store is away for too long
---@return "stopped"|"away"|"refused"|"over"|nil why
---@return bide.record.Failure|string|nil failure
function Watch:follow()
  local pause, counters, deadline = FIRST, nil, self.began + OVER // 1000
  while not self.is_stopped do
    local failure
    local found
    found, failure = read(self)
    if failure and failure.kind ~= "away" then return nil, "away", failure end
    note_answer(self, failure)
    local mistake = found and not counters and mistake_in_codes(self, found)
    if mistake then return nil, "refused", mistake end
    counters = found or counters
    if found and found.ended and #self.ends == found.waits then return found end
    if found then
      deadline = loop.update() + (found.deadline + OVER - found.clock) // 1000
      report(self, found)
    end
    if loop.update() > deadline then return counters, found and "over" or "away", failure end
    await(loop.now() + pause, function(waker) self.waker = waker end)
    pause = math.min(pause * 2, LATER)
  end
  return nil, "stopped"
end

---Ends the watching, and not the run.
function Watch:stop()
  self.is_stopped = true
  if self.waker then self.waker() end
end

---@param options table of the command line
---@param store bide.Store
---@param run integer
---@param codes table<string, integer>? exit codes of named outcomes
---@return bide.cli.Watch
function M.new(options, store, run, codes)
  local now, handle = loop.update(), options.events_handle
  return setmetatable({
    options = options, store = store, run = run, codes = codes, ends = {}, began = now, shown_at = now,
    events = handle and run_events.new(handle, store, run),
  }, Watch)
end

---Says that a run continues without this process, as far as is known.
local function report_stopped(watch)
  local of_run = ("%d --store %s"):format(watch.run, watch.store.url)
  local words = watch.is_known and ("run %d continues; "):format(watch.run) or ""
  shown.complain_in_lines(("%swatch it again:  bide watch %s\ncancel it:  bide jobs cancel %s"):format(words, of_run, of_run))
end

---Returns why it is not known how a run ended, and the exit code that says so.
---@param watch bide.cli.Watch
---@param counters bide.record.Counters?
---@param why "away"|"refused"|"over"
---@param failure bide.record.Failure|string|nil
---@return string words
---@return integer code
local function cause_of(watch, counters, why, failure)
  if why == "refused" then return failure --[[@as string]], exit_code.USAGE end
  if why == "over" then
    return ("run %d is over, and no worker has ended it: no worker serves the queue %s"):format(watch.run, counters.queue),
      exit_code.MAX_WAIT
  end
  local one = failure --[[@as bide.record.Failure?]]
  if one and one.is_unknown and watch.is_known then
    return ("run %d is gone: it was pruned, or the store was put back to an earlier time"):format(watch.run), exit_code.FAULT
  end
  return one and one.message or "the store cannot be reached",
    one and one.kind == "refused" and not watch.is_known and exit_code.USAGE or exit_code.FAULT
end

local function broken(mistake)
  return "the store is broken: " .. mistake, exit_code.FAULT
end

---Follows a run to its end, without a word to a person.
---@param store bide.Store
---@param run integer
---@return table? record of its wait, or of a fleet; nil if it is not known how it ended
---@return boolean|string is_fleet or why that is not known
function M.record(store, run)
  local watch = M.new({ quiet = true }, store, run)
  local counters, why, failure = watch:follow()
  if why then return nil, (cause_of(watch, counters, why, failure)) end
  local about, records = read_rows(counters, watch.ends)
  if not about then return nil, (broken(records)) end
  if not about.fleet then return records[1], false end
  return fleet_record(counters, watch.ends, records --[[@as table[] ]], about.keepsGoing), true
end

---Writes the last events, if it is known how the run ended, and closes their file.
---@param watch bide.cli.Watch
---@param result bide.cli.Result?
---@return boolean is_written whether all that were asked for are there
local function end_events(watch, result)
  if not watch.events then return true end
  if result then watch.events:finish() end
  return watch.events:close()
end

---Follows a run to its end and reports the outcome. A signal ends the watching alone.
---@param watch bide.cli.Watch
---@return bide.cli.Ended
function M.report(watch)
  loop.watch_signals(function() watch:stop() end)
  if loop.signal() then watch:stop() end
  local counters, why, failure = watch:follow()
  if why == "stopped" then
    end_events(watch)
    report_stopped(watch)
    local code = watch.is_late and exit_code.NOT_YET or exit_code.SIGNAL + (loop.signal() or 2)
    return { state = "failure", code = code, is_reported = true }
  end
  local result, words, code
  if why then
    words, code = cause_of(watch, counters, why, failure)
  else
    result, words = result_of(watch.options, counters, watch.ends, watch.codes)
    if not result then words, code = broken(words) end
  end
  local has_events = end_events(watch, result)
  if not result then
    shown.complain(words)
    return { state = "failure", code = code, is_reported = true }
  end
  local is_reported = output.write(watch.options, result) and has_events
  return { state = result.record.state, code = result.code, is_reported = is_reported, result = result }
end

return M
