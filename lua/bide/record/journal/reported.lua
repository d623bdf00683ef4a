---Reads runs of a journal for a report.

local checked = require "bide.record.journal.checked"
local core = require "bide.core"
local counted = require "bide.text.counted"
local option = require "bide.text.option"
local report = require "bide.record.report.format.run"
local secret = require "bide.text.secret"
local stored_outcome = require "bide.record.stored_outcome"

local json = core.json

local M = {}

---Returns the record of a wait that has not ended.
local function record_of_open(journal, query, row, run)
  return {
    waiter = row.waiter or run.waiter, state = "retry", attempts = row.attempts, elapsed = row.elapsed / 1000,
    message = ("%s has not ended; %s so far"):format(row.waiter or run.waiter, counted(row.attempts, "attempt")),
    input = json.read(row.input), output = row.output and json.read(row.output), error = row.error and json.read(row.error),
    history = checked.history(journal, query, row.id, stored_outcome.decode_entry),
  }
end

---@return table record
local function record_of(journal, query, row, run)
  local document = row.outcome and json.read(row.outcome)
  local is_whole = document and document:type() == "object"
  local record = is_whole and stored_outcome.decode(document) or record_of_open(journal, query, row, run)
  local mask = core.secret.mask()
  if row.token then mask:open(row.token) end
  for _, part in ipairs { document or record.input, record.output, record.error } do mask:collect(part) end
  secret.keep(record, mask)
  return record
end

---Returns the outcome of a run. A journal of the first version does not say it: a run failed then if any of its waits did.
---@param run table its row
---@param is_each boolean whether each wait of it succeeded
---@return "success"|"failure"|nil outcome nil if it has not ended
local function outcome_of(run, is_each)
  if not run.ended then return nil end
  return run.outcome or is_each and "success" or "failure"
end

---@param query fun(sql: string, ...): table[]
---@param names string[] the numbers of runs; none for the newest run
---@return table[]? rows
---@return string? mistake
local function find(query, names)
  if #names == 0 then
    local list = query "SELECT * FROM run ORDER BY id DESC LIMIT 1"
    if #list == 0 then return nil, "the journal has no run" end
    return list
  end
  local list = {}
  for position, name in ipairs(names) do
    list[position] = query("SELECT * FROM run WHERE id = ?", math.tointeger(tonumber(name)) or -1)[1]
    if not list[position] then return nil, option.expected("the number of a run", name) end
  end
  return list
end

---@param journal bide.Journal
---@param query fun(sql: string, ...): table[]
---@param names string[] the numbers of runs; none for the newest run
---@return bide.ReportedRun?
---@return string? mistake
function M.runs(journal, query, names)
  local list, mistake = find(query, names)
  if not list then return nil, mistake end
  local records, labels, sightings, succeeded, state = {}, {}, {}, 0, "success"
  for _, run in ipairs(list) do
    checked.row(journal, "run", run)
    local rows = checked.waits(journal, query, run.id)
    local succeeded_before = succeeded
    for _, row in ipairs(rows) do
      local position = #records + 1
      records[position] = record_of(journal, query, row, run)
      sightings[position] = { began = row.wall - row.elapsed, saw = {} }
      local name = row.branch or #rows == 1 and records[position].waiter or ("wait %d"):format(row.position)
      labels[position] = #list > 1 and ("run %d: %s"):format(run.id, name) or name
      if records[position].state == "success" then succeeded = succeeded + 1 end
    end
    local outcome = outcome_of(run, succeeded - succeeded_before == #rows)
    if state ~= "failure" and outcome ~= "success" then state = outcome or "waiting" end
  end
  local is_one = #records == 1
  return report.new {
    title = is_one and labels[1] or #list == 1 and ("run %d"):format(list[1].id) or ("%d runs"):format(#list),
    state = state, is_fleet = not is_one, records = records, sightings = sightings,
    message = is_one and secret.clear(records[1]).message or ("%d of %d waits succeeded"):format(succeeded, #records),
    name_of = function(position) return labels[position] end,
  }
end

return M
