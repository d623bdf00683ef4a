---Reads how the waits of a run ended. Rows are input: what bide cannot have written is a mistake, and so is a count that the
---ends do not have, so that no success comes of it.

local checked = require "bide.record.journal.checked"
local core = require "bide.core"
local secret = require "bide.text.secret"
local stored_outcome = require "bide.record.stored_outcome"
local tables = require "bide.text.tables"

local json = core.json

local M = {}

---The sentences of ends that no worker wrote, by their reasons.
local sentences = {
  cancelled = "%s was cancelled after %s; no worker was asked for more",
  maxWait = "%s exceeded its max wait after %s, and no worker has ended it",
}

---Returns the record of an end for which the store has a reason alone.
---@param one bide.record.End
---@return table? record nil if there is no such reason
local function record_of_reason(one, reason, history)
  if not sentences[reason] then return nil end
  local span = (one.deadline - one.began) / 1000000
  local attempts = ("%d attempt%s"):format(one.attempts, one.attempts == 1 and "" or "s")
  return {
    waiter = one.waiter, state = "failure", reason = reason, attempts = one.attempts,
    message = sentences[reason]:format(one.waiter, attempts),
    elapsed = (one.ended - one.began) // 1000 / 1000, maxWait = math.tointeger(span) or span,
    input = json.read(one.input), output = one.output and json.read(one.output), error = one.error and json.read(one.error),
    history = history,
  }
end

---@param text string JSON
---@return table? entry of a history; nil if bide did not write it
---@return userdata? document
function M.entry(text)
  local document = json.read(text)
  local entry = document and document:value()
  if checked.is_entry(entry) then return entry, document end
end

---@param one bide.record.End
---@return table[]? history nil if bide did not write it
local function history_of(one)
  local history = json.array {}
  for position, text in ipairs(one.history) do
    history[position] = M.entry(text)
    if not history[position] then return nil end
  end
  return history
end

---Reports whether a success is that of its row, and not of another wait: it has the waiter, the attempts, the last of them, and
---the input, to which a worker adds the token and what has a default.
---@param one bide.record.End
---@param value table the outcome, which is a success
---@param history table[]
local function is_success_of(one, value, history)
  if value.waiter ~= one.waiter or value.attempts ~= one.attempts then return false end
  local last = history[#history]
  local is_whole = last and last.attempt == value.attempts
  if is_whole and (last.state ~= "success" or last.acceptor ~= value.acceptor) then return false end
  local submitted, input = json.decode(one.input), value.input
  if not tables.is_object(submitted) or not tables.is_object(input) then return false end
  for name, member in pairs(submitted) do
    if not stored_outcome.is_same_input(member, input[name]) then return false end
  end
  return true
end

---@param one bide.record.End
---@param document userdata
---@param history table[]
---@return table? record nil if bide did not write it
local function read_outcome(one, document, history)
  if document:type() ~= "object" then return nil end
  local value = document:value()
  value.history = history
  if not checked.is_outcome(value) then return nil end
  if value.state == "success" and not is_success_of(one, value, history) then return nil end
  for _, entry in ipairs(history) do entry.error = entry.error and json.document(entry.error) end
  return stored_outcome.decode(document, value)
end

---Returns the mask of what belongs to a wait.
---@param one { token: string? }
---@param document userdata
---@return bide.SecretMask
function M.mask(one, document)
  local mask = core.secret.mask()
  if one.token then mask:open(one.token) end
  mask:collect(document)
  return mask
end

---@param one bide.record.End
---@return table? record nil if bide did not write it
function M.record(one)
  local document, history = one.outcome and json.read(one.outcome), history_of(one)
  if not document or not history then return nil end
  local record
  if document:type() == "string" then
    record = record_of_reason(one, document:value(), history)
  else
    record = read_outcome(one, document, history)
  end
  if not record then return nil end
  if record.attempts > #history and #history > 0 then record.omitted = record.attempts - #history end
  secret.keep(record, M.mask(one, document))
  return record
end

---Reports whether the ends are those that the run has counted.
---@param counters bide.record.Counters
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
---@param counters bide.record.Counters
---@param ends bide.record.End[]
---@return table[]? records by position
---@return string? mistake
function M.read(counters, ends)
  local records = {}
  for _, one in ipairs(ends) do
    records[one.position] = M.record(one)
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
