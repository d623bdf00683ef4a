---Reads what a journal holds, for people: its runs and the requests of bide.once; and forgets them.

local checked = require "bide.record.journal.checked"
local core = require "bide.core"
local moment = require "bide.record.journal.moment"
local option = require "bide.text.option"
local tables = require "bide.text.tables"

local json = core.json

local M = {}

---@param milliseconds integer? since 1970
---@return string? RFC 3339
local function time(milliseconds)
  return milliseconds and os.date("!%Y-%m-%dT%H:%M:%SZ", milliseconds // 1000)
end

---@param journal bide.Journal
---@return "running"|"interrupted"|"ended"
local function state_of(journal, row)
  if row.ended then return "ended" end
  return journal:is_alive(row.owner) and "running" or "interrupted"
end

---@class bide.journal.RunSummary
---@field run integer
---@field state "running"|"interrupted"|"ended"
---@field outcome "success"|"failure"|nil of a run that has ended
---@field waiter string
---@field recipe string
---@field began string
---@field ended string?
---@field reported string? when its outcome had been reported
---@field waits integer
---@field endedWaits integer
---@field succeeded integer how many of those that have ended
---@field failed integer
---@field attempts integer the most that one of its waits has made
---@field process integer? that runs it

---Counts the waits of a run by their states.
local function count_waits(summary, waits)
  for _, row in ipairs(waits) do
    summary.waits, summary.attempts = summary.waits + 1, math.max(summary.attempts, row.attempts)
    local outcome = row.outcome and json.decode(row.outcome)
    if outcome then
      local which = outcome.state == "success" and "succeeded" or "failed"
      summary.endedWaits, summary[which] = summary.endedWaits + 1, summary[which] + 1
    end
  end
end

---A run of the last release with one wait ended as that did.
local function outcome_of(row, summary)
  if not row.ended then return nil end
  if row.outcome or summary.endedWaits ~= 1 or summary.waits ~= 1 then return row.outcome end
  return summary.succeeded == 1 and "success" or "failure"
end

---@param journal bide.Journal
---@return bide.journal.RunSummary
local function summary_of(journal, query, row)
  local state = state_of(journal, checked.row(journal, "run", row))
  local summary = {
    run = row.id, state = state, waiter = row.waiter, recipe = row.recipe, began = time(row.began),
    ended = time(row.ended), reported = time(row.reported), waits = 0, endedWaits = 0, succeeded = 0, failed = 0, attempts = 0,
    process = state == "running" and row.process or nil,
  }
  count_waits(summary, checked.waits(journal, query, row.id))
  summary.outcome = outcome_of(row, summary)
  return summary
end

---@param journal bide.Journal
---@param query fun(sql: string, ...): table[]
---@return bide.journal.RunSummary[]
function M.runs(journal, query)
  local list = json.array {}
  for position, row in ipairs(query "SELECT * FROM run ORDER BY id") do list[position] = summary_of(journal, query, row) end
  return list
end

---@param journal bide.Journal
local function request(journal, row)
  return {
    token = row.token, identity = row.identity, state = state_of(journal, row), began = time(row.began),
    ended = time(row.ended), retained = time(row.retain and row.ended and row.ended + row.retain),
    late = time(row.late and row.ended and row.ended + (row.retain or 0) + row.late),
  }
end

---@param journal bide.Journal
---@param query fun(sql: string, ...): table[]
---@return table[]
function M.requests(journal, query)
  local list = json.array {}
  for position, row in ipairs(query "SELECT * FROM request ORDER BY began, token") do
    list[position] = request(journal, checked.row(journal, "request", row))
  end
  return list
end

local function value(text)
  return text and json.read(text) or nil
end

local function wait(journal, query, row)
  local history = json.array(checked.history(journal, query, row.id, value))
  local described = {
    branch = row.branch, recipe = row.recipe, waiter = row.waiter, input = value(row.input), token = row.token,
    attempts = row.attempts,
  }
  if row.outcome then
    described.outcome = value(row.outcome)
    return described
  end
  described.output, described.error, described.history = value(row.output), value(row.error), history
  described.elapsed = row.elapsed / 1000
  described.seen, described.nextAttempt = time(row.wall), row.delay and time(row.wall + row.delay)
  return described
end

---All that is known of a run.
---@param journal bide.Journal
---@param query fun(sql: string, ...): table[]
---@param id integer
---@return table? nil if there is none
function M.run(journal, query, id)
  local row = query("SELECT * FROM run WHERE id = ?", id)[1]
  if not row then return nil end
  local summary = summary_of(journal, query, row)
  summary.waits, summary.endedWaits, summary.attempts, summary.succeeded, summary.failed = json.array {}, nil, nil, nil, nil
  for position, one in ipairs(checked.waits(journal, query, id)) do summary.waits[position] = wait(journal, query, one) end
  return summary
end

---The requests with a token, one for each identity.
---@param journal bide.Journal
---@param query fun(sql: string, ...): table[]
---@param token string
---@return table[]
function M.requests_of(journal, query, token)
  local list = json.array {}
  for position, row in ipairs(query("SELECT * FROM request WHERE token = ? ORDER BY identity", token)) do
    list[position] = request(journal, checked.row(journal, "request", row))
    list[position].parameters, list[position].result = value(row.parameters), value(row.result)
  end
  return list
end

---Forgets runs that were reported at least so long ago, and requests that are retained no longer. Of these the token
---stays known for as long as late requests may come.
---@param journal bide.Journal
---@param query fun(sql: string, ...): table[]
---@param age integer milliseconds
---@return integer runs
---@return integer requests
function M.prune(journal, query, age)
  local now = moment.now().wall
  query("DELETE FROM run WHERE reported <= ?", now - age)
  local count = journal.database:changes()
  query("UPDATE request SET parameters = '', result = '' WHERE result <> '' AND ended + retain <= ?", now - age)
  local requests = journal.database:changes()
  query("DELETE FROM request WHERE ended + retain + late <= ?", now - age)
  return count, requests
end

local function id_of(name)
  return math.tointeger(tonumber(name)) or -1
end

---Why a run, or the requests with a token, cannot be forgotten; nil where they can.
---@param journal bide.Journal
---@param query fun(sql: string, ...): table[]
---@param name string
---@return string? mistake
function M.cannot_forget(journal, query, name)
  local id = id_of(name)
  local found = query("SELECT owner, process FROM run WHERE id = ?", id)
  local requests = query("SELECT owner, process FROM request WHERE token = ?", name)
  tables.append(found, requests)
  if #found == 0 then return option.expected("the number of a run or the token of a request", name) end
  for _, row in ipairs(found) do
    if journal:is_alive(row.owner) then return ("%s is in the hands of process %s"):format(name, row.process) end
  end
end

---Forgets one run, or the requests with a token, whatever their state.
---@param query fun(sql: string, ...): table[]
---@param name string
function M.forget(query, name)
  query("DELETE FROM run WHERE id = ?", id_of(name))
  query("DELETE FROM request WHERE token = ?", name)
end

return M
