---The part that `run` and `replay` share: runs waits, one or many, reports how they ended and returns the exit code.

local connection = require "bide.cli.connection"
local core = require "bide.core"
local exit_code = require "bide.cli.exit_code"
local fleet = require "bide.wait.fleet"
local journaling = require "bide.cli.journaling"
local new_observers = require "bide.cli.observers"
local output = require "bide.cli.output"
local parser = require "bide.cli.parser"
local recording = require "bide.cli.recording"
local report = require "bide.record.report"
local secret = require "bide.text.secret"
local shown = require "bide.text.shown"

local M = {}

local function open_file(file)
  if file == "-" then return io.stdout end
  local handle, mistake = core.process.create_file(file)
  if not handle then parser.fail("--events: " .. mistake) end
  return handle
end

---Opens the files of --events and --output, once; ends the process if one cannot be opened.
---@param options table of the command line; keeps the handles
function M.open_files(options)
  if options.events and not options.events_handle then options.events_handle = open_file(options.events) end
  output.open(options)
end

---Returns the observers of the waits: recordings, the events, progress unless --quiet is given, and what --explain prints.
---@param options table of the command line
---@param waits bide.cli.Waits
---@return table observers
local function observers_of(options, waits)
  M.open_files(options)
  local list = new_observers()
  local recordings = recording.open(options, waits.needed and math.huge or 1)
  if recordings then list:add(recordings) end
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

---@class bide.cli.Result
---@field record table the outcome, or the record of the fleet
---@field code integer
---@field is_interrupted boolean whether the waits can be resumed
---@field json fun(): string
---@field lines fun(): string ...
---@field run fun(): bide.ReportedRun made anew at each call

---Prints where a script error was raised. What was raised is the outcome's message, which follows.
local function complain_of_script(members, is_fault)
  local traceback = shown.traceback(members.message, members.traceback)
  local frames = traceback:match "^[^\n]*\n(.*)$"
  if is_fault or not frames then return shown.complain_in_lines(traceback) end
  shown.complain_in_lines("a script error ended the wait\n" .. frames)
end

---Shows the warnings of outcomes, each once.
---@param records table<any, table>
local function warn(records)
  local texts, known = {}, {}
  for _, record in pairs(records) do
    for _, text in ipairs(record.warnings or {}) do
      if not known[text] then texts[#texts + 1], known[text] = text, true end
    end
  end
  table.sort(texts)
  for _, text in ipairs(texts) do shown.warn(text) end
end

---Returns the result of one wait, its outcome, and shows its warnings and where its script error was raised.
---@param record table
---@param signal integer? the number of the signal that ended it
---@param waits bide.cli.Waits|{ codes: table<integer, table<string, integer>> }
---@param sightings bide.Sightings?
---@return bide.cli.Result
function M.result_of_one(record, signal, waits, sightings)
  local members = secret.clear(record)
  warn { record }
  if record.traceback then complain_of_script(members, record.fault) end
  return {
    record = record, code = exit_code.of(record, signal, waits.codes[1]),
    is_interrupted = record.reason == "cancelled" or record.fault or false,
    json = function() return report.outcome(record) end, lines = function() return members.message end,
    run = function() return require("bide.record.report.run").of_one(record, sightings) end,
  }
end

---@param record bide.FleetRecord
---@param signal integer? the number of the signal that ended it
---@param waits bide.cli.Waits
---@param sightings bide.Sightings?
---@return bide.cli.Result
function M.result_of_fleet(record, signal, waits, sightings)
  local code = exit_code.of_fleet(record, signal, waits.codes, waits.takes_worst)
  warn(record.records)
  return {
    record = record, code = code, is_interrupted = record.interrupted or code == exit_code.FAULT,
    json = function() return report.fleet(record, waits.names) end, lines = function() return waits.lines(record) end,
    run = function()
      local function name_of(position) return waits.label(waits.prepared[position], position) end
      return require("bide.record.report.run").of_fleet(record, name_of, sightings)
    end,
  }
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
  local spent = companions and companions:start(function(cause) running:fail(cause) end) or 0
  connection.count(waits.prepared, spent)
  running = fleet.start(waits.prepared, waits.needed or 1, waker, {
    observer = watching:as_one(), keeps_going = waits.keeps_going, spares = spares_of(waits),
    label = waits.label,
  })
  if core.loop.signal() then -- it came meanwhile
    running:cancel()
  elseif companions and companions.cause then
    running:fail(companions.cause)
  end
  local ended = core.task.pause(waker)
  if companions then companions:stop() end
  local signal = core.loop.signal()
  if watching.events then watching.events:close() end
  local result
  if waits.needed then
    result = M.result_of_fleet(ended, signal, waits, watching.sightings)
  else
    result = M.result_of_one(ended.records[1], signal, waits, watching.sightings)
  end
  if journaled then journaled:finish(result.is_interrupted, result.record.state, ended.records) end
  local explained = watching.explainer and watching.explainer:text()
  if explained then shown.note_in_lines(explained) end
  local is_reported = output.write(options, result) and (options.events ~= "-" or watching.events.is_written)
  return {
    state = result.record.state, code = result.code, is_reported = is_reported, journaled = journaled, records = ended.records,
    result = result,
  }
end

return M
