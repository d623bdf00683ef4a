---Compares the outcome of a case with what it expects.

local difference = require "bide.cli.test.difference"
local exit_code = require "bide.cli.ending.exit_code"
local regex = require "bide.probe.asking.regex"

local M = {}

---Returns the attempts of a run as plain values.
---@return table[]
local function events_of(run)
  local events = {}
  for position, entry in ipairs(run.attempts) do
    local event = {}
    for name, value in pairs(entry) do event[name] = type(value) == "userdata" and value:value() or value end
    events[position] = event
  end
  return events
end

---Returns the outcome of a wait in the form of an expectation, with the events if that has some.
---@param run bide.test.Run
---@return bide.test.Expectation
function M.actual(run)
  local record, delays, notes = run.record, {}, {}
  for _, entry in ipairs(run.attempts) do
    if entry.delay then delays[#delays + 1] = entry.delay end
    if entry.note then notes[#notes + 1] = entry.note end
  end
  return {
    state = record.state, attempts = record.attempts, delays = delays, reason = record.reason, message = record.message,
    matches = record.message, acceptor = record.acceptor, exit_code = exit_code.of(record),
    output = record.output and record.output:value(), requests = run.requests, notes = notes,
    events = run.case.expect.events and events_of(run),
  }
end

---@type table<string, fun(expected: any, found: any, actual: table): string?>
local comparisons = {}

local function exactly(name)
  comparisons[name] = function(expected, found) return difference.of(expected, found, name) end
end
for _, name in ipairs { "state", "attempts", "reason", "acceptor", "exit_code", "output", "requests" } do exactly(name) end

function comparisons.delays(expected, found) return difference.of_delays(expected, found) end

function comparisons.message(expected, found)
  if found:find(expected, 1, true) then return nil end
  return ("message: expected %s in it, found %s"):format(difference.show(expected), difference.show(found))
end

function comparisons.matches(expected, found)
  if assert(regex.compile(expected)):find(found) then return nil end
  return ("matches: expected a match of %s, found %s"):format(difference.show(expected), difference.show(found))
end

function comparisons.notes(expected, found)
  local all = table.concat(found, "\n")
  for position, words in ipairs(expected) do
    if not all:find(words, 1, true) then
      return ("notes[%d]: expected %s in a note, found %s"):format(position, difference.show(words), difference.show(found))
    end
  end
end

---Each expected event is a subset of an attempt; they come in their order.
function comparisons.events(expected, found)
  local at, nearest = 0, nil
  for position, wanted in ipairs(expected) do
    repeat
      at = at + 1
      local text = found[at] and difference.of(wanted, found[at], ("events[%d]"):format(position))
      if text then nearest = nearest or text end
    until not text
    if at > #found then return nearest or ("events[%d]: expected an attempt, found the end"):format(position) end
  end
end

---The order in which differences are reported.
local order = {
  "state", "reason", "acceptor", "attempts", "delays", "exit_code", "message", "matches", "output", "requests", "notes", "events",
}

---The attempts that a difference shows.
local MOST_SHOWN <const> = 12

---Returns a line for each attempt, from which one sees where paths part.
---@param run bide.test.Run
---@return string[]
function M.path(run)
  local lines = {}
  for position, entry in ipairs(run.attempts) do
    if position > MOST_SHOWN then
      lines[position] = ("… and %d more"):format(#run.attempts - MOST_SHOWN)
      break
    end
    local failure = entry.error and entry.error:value "type"
    lines[position] = ("attempt %d at %g s%s: %s%s%s"):format(entry.attempt, entry.at,
      failure and (", error %s"):format(failure) or "", entry.state or "cut",
      entry.acceptor and (" by acceptor %d"):format(entry.acceptor) or entry.state == "retry" and ", no acceptor matched" or "",
      entry.delay and (", next in %g s"):format(entry.delay) or "")
  end
  return lines
end

---@param run bide.test.Run
---@param fault fun(text: string)
function M.compare(run, fault)
  local actual, expected = M.actual(run), run.case.expect
  run.actual, run.failing = actual, {}
  for _, name in ipairs(order) do
    local text = expected[name] ~= nil and comparisons[name](expected[name], actual[name], actual)
    if text then
      fault(text)
      run.failing[name] = true
    end
  end
  if run.record.reason == "scriptError" and expected.reason ~= "scriptError" then fault("script error: " .. actual.message) end
end

return M
