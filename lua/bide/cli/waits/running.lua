---The part that `run` and `replay` share: runs waits, one or many, to their end, and reports how they ended.

local connection = require "bide.cli.words.connection"
local core = require "bide.core"
local exit_code = require "bide.cli.ending.exit_code"
local fleet = require "bide.wait.fleet"
local journaling = require "bide.cli.words.journaling"
local new_observers = require "bide.cli.report.observers"
local output = require "bide.cli.report.output"
local recording = require "bide.cli.words.recording"
local results = require "bide.cli.report.result"
local shown = require "bide.text.shown"

local M = {}

---Returns the observers of the waits: recordings, the events, progress unless --quiet is given, and what --explain prints.
---@param options table of the command line
---@param waits bide.cli.Waits
---@return table observers
local function observers_of(options, waits)
  output.open(options)
  local list = new_observers()
  list.recordings = recording.open(options, waits.needed and math.huge or 1)
  if list.recordings then list:add(list.recordings) end
  local handle = options.events_handle
  if handle then
    list.events = require("bide.record.report.events").new(handle, waits.names)
    list:add(list.events)
  end
  if not options.quiet then list:add(waits.new_progress(shown.is_live())) end
  if output.shows_attempts(options) then
    list.sightings = require("bide.record.report.sightings").new()
    list:add(list.sightings)
  end
  if options.explain then
    list.explainer = require("bide.record.report.explanation").new(waits.label)
    list:add(list.explainer)
  end
  return list
end

---Reports whether the events and recordings that were asked for are there whole.
---@param watching table observers
---@return boolean
local function is_complete(watching)
  local events, recordings = watching.events, watching.recordings
  return not (events and not events.is_written or recordings and recordings.is_broken)
end

---The waits of a command.
---@class bide.cli.Waits
---@field prepared bide.PreparedWait[]
---@field branches bide.cli.Branch[]? those of the waits, for a store
---@field inputs userdata[]? as they were given
---@field needed integer? how many must succeed; nil for one wait, whose outcome is the result
---@field handed? table<integer, bide.cli.Handed[]> what COMMAND gets of their outputs, by the position of the wait
---@field names? string[] of the waits, as branches
---@field label? fun(one: bide.PreparedWait, key: any): string what a wait of a fleet is called
---@field codes table<integer, table<string, integer>> the exit codes of named outcomes, by the position of the wait
---@field keeps_going? boolean whether the others continue after a failure that decides the result
---@field takes_worst? boolean whether the exit code is that of the worst failure, and not of the first
---@field new_progress fun(is_live: boolean): table an observer
---@field lines? fun(record: bide.FleetRecord): string ... the result of a fleet for people
---@field is_virtual? boolean whether the clock is virtual, and nothing is recorded in a journal

---A run that has ended, and whose outcome was reported as far as it could be.
---@class bide.cli.Ended : bide.cli.End
---@field journaled? bide.cli.Journaling if there is a journal
---@field records table<any, table> of the outcomes
---@field result bide.cli.Result

---Returns the function that finds the failed waits that do not fail the run: their outcome has a name whose exit code is 0.
---@param waits bide.cli.Waits
local function spares_of(waits)
  return function(key, record) return exit_code.of(record, nil, waits.codes[key]) == exit_code.SUCCESS end
end

---Runs waits to their end.
---@param options table of the command line
---@param waits bide.cli.Waits
---@return bide.cli.Ended
function M.run(options, waits)
  local watching, waker = observers_of(options, waits), core.task.waker()
  local journaled = not waits.is_virtual and journaling.begin(options, waits, watching) or nil
  local running, companions = nil, options.companions
  core.loop.watch_signals(function()
    if running then running:cancel() elseif companions then companions:interrupt() end
  end)
  local spent = companions and companions:start(waits.prepared, function(cause) return running:fail(cause) end) or 0
  connection.count(waits.prepared, spent)
  running = fleet.start(waits.prepared, waits.needed or 1, waker, {
    observer = watching:as_one(), keeps_going = waits.keeps_going, spares = spares_of(waits),
    label = waits.label, find_cause = companions and function() return companions:find_cause() end,
  })
  if core.loop.signal() then -- it came meanwhile
    running:cancel()
  elseif companions and companions.cause then
    running:fail(companions.cause)
  end
  local ended = core.task.pause(waker)
  local signal = core.loop.signal()
  if watching.events then watching.events:close() end
  local result
  if waits.needed then
    result = results.of_fleet(ended, signal, waits, watching.sightings)
  else
    result = results.of_one(ended.records[1], signal, waits, watching.sightings)
  end
  if companions then companions:stop(ended.records) end
  if journaled then journaled:finish(result.is_interrupted, result.record.state, ended.records) end
  local explained = watching.explainer and watching.explainer:text()
  if explained then shown.note_in_lines(explained) end
  local is_reported = output.write(options, result) and is_complete(watching)
  return {
    state = result.record.state, code = result.code, is_reported = is_reported, journaled = journaled, records = ended.records,
    result = result,
  }
end

return M
