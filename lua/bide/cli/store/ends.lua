---Reads how the waits of a run ended. Rows are input: what bide cannot have written is a mistake, and so is a count that the
---ends do not have, so that no success comes of it.

local core = require "bide.core"
local recorded = require "bide.record.recorded"
local secret = require "bide.text.secret"

local json = core.json

local M = {}

---The sentences of ends that no worker wrote, by their reasons.
local sentences = {
  cancelled = "%s was cancelled after %s; no worker was asked for more",
  maxWait = "%s exceeded its max wait after %s, and no worker has ended it",
}

---Returns the record of an end for which the store has a reason alone.
---@param one bide.store.End
---@return table? record nil if there is no such reason
local function record_of_reason(one, reason)
  if not sentences[reason] then return nil end
  local span = (one.deadline - one.began) / 1000000
  local attempts = ("%d attempt%s"):format(one.attempts, one.attempts == 1 and "" or "s")
  return {
    waiter = one.waiter, state = "failure", reason = reason, attempts = one.attempts,
    message = sentences[reason]:format(one.waiter, attempts),
    elapsed = (one.ended - one.began) // 1000 / 1000, maxWait = math.tointeger(span) or span,
    input = json.read(one.input), output = one.output and json.read(one.output), error = one.error and json.read(one.error),
  }
end

---Reports whether an outcome has what every outcome has.
---@param record table
local function is_sound(record)
  return (record.state == "success" or record.state == "failure") and type(record.reason) == "string"
    and type(record.waiter) == "string" and type(record.message) == "string" and math.type(record.attempts) == "integer"
end

---@param one bide.store.End
---@param document userdata
---@return table? record nil if bide did not write it
local function read_outcome(one, document)
  if document:type() == "string" then return record_of_reason(one, document:value()) end
  if document:type() ~= "object" then return nil end
  local record = recorded.decode(document)
  return is_sound(record) and record or nil
end

---@param one bide.store.End
---@return table? record nil if bide did not write it
local function record_of(one)
  local document = one.outcome and json.read(one.outcome)
  local record = document and read_outcome(one, document)
  if not record then return nil end
  record.history = json.array {}
  for position, text in ipairs(one.history) do record.history[position] = recorded.decode_entry(text) end
  if record.attempts > #record.history and #record.history > 0 then record.omitted = record.attempts - #record.history end
  local mask = core.secret.mask()
  if one.token then mask:open(one.token) end
  mask:collect(document)
  secret.keep(record, mask)
  return record
end

---Reports whether the ends are those that the run has counted.
---@param counters bide.store.Counters
---@param records table[]
local function are_counted(counters, records)
  local succeeded, cancelled = 0, 0
  for _, record in ipairs(records) do
    if record.state == "success" then succeeded = succeeded + 1 end
    if record.reason == "cancelled" then cancelled = cancelled + 1 end
  end
  local failed = #records - succeeded - cancelled
  return #records == counters.waits and succeeded == counters.succeeded and cancelled == counters.cancelled
    and failed == counters.failed and (counters.state == "success") == (succeeded >= counters.need)
end

---Reads the ends of all waits of a run.
---@param counters bide.store.Counters
---@param ends bide.store.End[]
---@return table[]? records by position
---@return string? mistake
function M.read(counters, ends)
  local records = {}
  for _, one in ipairs(ends) do
    records[one.position] = record_of(one)
    if not records[one.position] then
      return nil, ("wait %d of run %d: its outcome is not one that bide wrote"):format(one.position, counters.run)
    end
  end
  if not are_counted(counters, records) then
    return nil, ("run %d: its waits did not end as the store has counted them"):format(counters.run)
  end
  return records
end

return M
