---The outcome: how a wait ended, and everything that explains the end.

local absences = require "bide.wait.absences"
local core = require "bide.core"
local duration = require "bide.text.duration"
local script_error = require "bide.text.script_error"
local secret = require "bide.text.secret"
local evidence = require "bide.wait.evidence"
local reasons = require "bide.wait.reasons"
local tables = require "bide.text.tables"

local M = {}

---@class bide.Outcome
---@field waiter string
---@field operation string?
---@field state "success"|"failure"|"retry" "retry" after a step of a wait that has not ended
---@field reason bide.ReasonName? nil with "retry"
---@field acceptor integer? the position, from 1, of the acceptor that decided
---@field name string? the name of that acceptor
---@field message string
---@field attempts integer
---@field elapsed number seconds
---@field maxWait number seconds
---@field input any
---@field output any the last output seen, on every end
---@field error table? the last operation error seen, on every end
---@field seen { acceptor: integer, path: string, value: any }[]? the values of the acceptors' paths in that output
---@field history bide.Attempt[]
---@field omitted integer? the number of attempts left out of the middle of the history
---@field warnings string[]? of a success: what a person may not expect of it; beside --start: that its port was open before
---@field traceback string? of a script error
---@field created false? of a wait in a store, of which a run that was submitted before has the same submitToken
---@field partial true? of a step: history, seen and output are those of its own attempt

local Outcome = {}
function Outcome.__tostring(self) return secret.clear(self).message end

---@param value any
---@return boolean
function M.is(value)
  return getmetatable(value) == Outcome
end

local function whole_where_it_is(seconds)
  return math.tointeger(seconds) or seconds
end

---Adds the name of the acceptor that matched, if it has one.
---@param wait bide.Wait
---@param entry table of the history, or an outcome
function M.add_name(wait, entry)
  local acceptor = wait.waiter.acceptors[entry.acceptor]
  if acceptor then entry.name = acceptor.name end
end

---Returns the message of a record, and the values that were seen.
---@param mask bide.SecretMask? hides their secrets; nil if secrets are shown
local function explain(wait, record, mask)
  local seen = evidence.of(wait, mask)
  local list = seen:list()
  local message, traceback = reasons.sentence(wait, record, seen), record.traceback
  local decided = wait.waiter.acceptors[record.acceptor]
  local warnings = {}
  if record.state == "success" then
    warnings = tables.joined(seen:surprises(decided), absences.of_success(wait, decided, record, mask))
  end
  if mask then
    message, traceback = mask:text(message), traceback and mask:text(traceback)
    for position, warning in ipairs(warnings) do warnings[position] = mask:text(warning) end
  end
  return {
    seen = #list > 0 and list or nil, message = message, traceback = traceback,
    warnings = #warnings > 0 and core.json.array(warnings) or nil,
  }
end

---Returns the outcome of a wait that has ended, or, as "retry" without a reason, of its attempts so far. Its input, output
---and error are documents.
---@param wait table
---@param state "success"|"failure"|"retry"
---@param reason string?
---@param acceptor integer?
---@return table record
function M.record(wait, state, reason, acceptor)
  local history, omitted = wait.state:history()
  for _, entry in ipairs(history) do M.add_name(wait, entry) end
  local record = {
    waiter = wait.waiter.name, operation = wait.waiter.operation,
    state = state, reason = reason, acceptor = reason == "acceptor" and acceptor or nil,
    attempts = wait:made(), elapsed = duration.seconds(wait.elapsed),
    maxWait = whole_where_it_is(duration.seconds(wait.max_wait)),
    input = wait.input, output = wait.output, error = wait.error or nil,
    history = core.json.array(history), omitted = omitted > 0 and omitted or nil,
    traceback = wait.script_error and wait.script_error.traceback,
    fault = wait.script_error and (wait.is_fault or script_error.is_out_of_memory(wait.script_error)) or nil,
  }
  M.add_name(wait, record)
  local mask = secret.of_wait(wait, history)
  secret.keep(record, mask)
  if secret.are_shown then secret.keep_clear(record, explain(wait, record)) end
  for name, value in pairs(explain(wait, record, mask)) do record[name] = value end
  return record
end

---Returns a copy in which documents are Lua values.
local function with_values(members)
  local copy = {}
  for name, value in pairs(members) do
    copy[name] = value
    if type(value) == "userdata" and value ~= core.json.null then copy[name] = value:value() end
  end
  return copy
end

---Returns the outcome for scripts: with Lua values, and the message as its text.
---@param record table
---@return bide.Outcome
function M.of_record(record)
  local outcome = with_values(record)
  for _, list in ipairs { "history", "seen" } do
    outcome[list] = record[list] and tables.mapped(record[list], with_values)
  end
  if secret.are_shown then secret.keep_clear(outcome, { message = secret.clear(record).message }) end
  return setmetatable(outcome, Outcome)
end

return M
