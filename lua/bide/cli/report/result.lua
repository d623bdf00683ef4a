---The result of a command's waits: its exit code, and the forms in which it is reported.

local absences = require "bide.wait.absences"
local exit_code = require "bide.cli.ending.exit_code"
local secret = require "bide.text.secret"
local shown = require "bide.text.shown"

local M = {}

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
  local frames = traceback:match "^[^\n]*(\n.*)$"
  shown.complain_in_lines(is_fault and traceback or "a script error ended the wait" .. (frames or ""))
end

---Shows the warnings of outcomes, each once, and those about many hosts in one line.
---@param records table<any, table>
local function warn(records)
  local texts, known = {}, {}
  for _, record in pairs(records) do
    for _, text in ipairs(record.warnings or {}) do
      if not known[text] then texts[#texts + 1], known[text] = text, true end
    end
  end
  table.sort(texts)
  for _, text in ipairs(absences.merged(texts)) do shown.warn(text) end
end

---Returns the result of one wait, its outcome, and shows its warnings and where its script error was raised.
---@param record table
---@param signal integer? the number of the signal that ended it
---@param waits bide.cli.Waits|{ codes: table<integer, table<string, integer>> }
---@param sightings bide.Sightings?
---@return bide.cli.Result
function M.of_one(record, signal, waits, sightings)
  local members = secret.clear(record)
  warn { record }
  if record.traceback then complain_of_script(members, record.fault) end
  return {
    record = record, code = exit_code.of(record, signal, waits.codes[1]),
    is_interrupted = record.reason == "cancelled" or record.fault or false,
    json = function() return require("bide.record.report").outcome(record) end, lines = function() return members.message end,
    run = function() return require("bide.record.report.format.run").of_one(record, sightings) end,
  }
end

---@param record bide.FleetRecord
---@param signal integer? the number of the signal that ended it
---@param waits bide.cli.Waits
---@param sightings bide.Sightings?
---@return bide.cli.Result
function M.of_fleet(record, signal, waits, sightings)
  local code = exit_code.of_fleet(record, signal, waits.codes, waits.takes_worst)
  warn(record.records)
  return {
    record = record, code = code, is_interrupted = record.interrupted or code == exit_code.FAULT,
    json = function() return require("bide.record.report").fleet(record, waits.names) end,
    lines = function() return waits.lines(record) end,
    run = function()
      local function name_of(position) return waits.label(waits.prepared[position], position) end
      return require("bide.record.report.format.run").of_fleet(record, name_of, sightings)
    end,
  }
end

return M
