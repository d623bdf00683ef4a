---A turn that was claimed: its definition is read, its wait prepared, and its attempt begun. Rows that cannot be what bide
---wrote end that wait alone.

local core = require "bide.core"
local held_turns = require "bide.record.worker.held_turns"
local prepared_waits = require "bide.wait.prepared"
local reach = require "bide.probe.asking.reach"
local script_error = require "bide.text.script_error"
local shown = require "bide.text.shown"
local turns = require "bide.record.worker.turns"
local verbs = require "bide.record.store.verbs"
local waiters = require "bide.wait.waiter"

local json, run_for = core.json, core.task.run_for
local MOST_STRIKES <const>, read_turn = verbs.STRIKES, verbs.read_turn
local read_input, read_plain_input = waiters.read_input, prepared_waits.read

local M = {}

---Lets another worker take the waits of a bundle that this one does not run, at once.
local function refuse(worker, found, mistake)
  shown.complain(("warning: this worker leaves waits of %s to others: %s"):format(shown.line(found.waiter),
    mistake:match "^[^\n]*"))
  worker.store:refuse(worker.me, found.bundle_id)
  worker.must_sync = true
  return false
end

---Returns the waiter of a turn, read once; a text if it cannot be run by anybody, false if this worker refuses it.
---@return bide.worker.Definition|string|false|nil definition nil if the store did not answer
local function definition_of(worker, id)
  local known = worker.definitions[id]
  if known ~= nil then return known end
  local found, failure = worker.store:definition(id)
  if not found then
    if failure.kind ~= "broken" then return nil end
    worker.definitions[id] = failure.message
    return failure.message
  end
  local definition, mistake = worker.options.read(found)
  if definition then definition.kinds, definition.last_output, definition.limits.gate = {}, {}, worker.gate end
  worker.definitions[id] = definition or refuse(worker, found, mistake)
  return worker.definitions[id]
end

---Puts the token of a wait into its input, and the secrets that it names.
---@param turn bide.worker.Turn
---@param definition bide.worker.Definition
---@param document userdata its input
---@param may_name_secrets boolean
---@return userdata? document
---@return bide.worker.Filled|string|nil filled nil if there are no secrets; or the mistake
local function fill_in(worker, turn, definition, document, may_name_secrets)
  local token_member = definition.waiter.token_member
  if turn.token and token_member then
    local members = document:value()
    members[token_member] = turn.token
    document = assert(json.document(members))
  end
  if not may_name_secrets then return document end
  return worker.options.secrets:fill(document, turn.owner, definition.digest)
end

---Ends a turn with a mistake of its recipe, or of its rows. One that is found while the worker is being stopped does not count:
---the signal may have ended the code that was asked. Another worker prepares the turn again.
---@param turn bide.worker.Turn
---@param waiter string
---@param message string
local function fail(worker, turn, waiter, message)
  if worker.is_stopped then return held_turns.drop(worker, turn) end
  return turns.fail(worker, turn, waiter, message)
end

---Ends a wait whose code has ended as many workers as may be; what it would do next is not tried, so its recipe is not read.
---@param turn bide.worker.Turn
local function strike_out(worker, turn)
  local found = worker.store:definition(turn.definition)
  if not found then return held_turns.drop(worker, turn) end
  local reasons = json.decode(turn.error or "")
  if type(reasons) ~= "table" then reasons = {} end
  local how = ("its code ended the worker %d times: %s"):format(turn.strikes, table.concat(reasons, "; "))
  fail(worker, turn, found.waiter, how)
end

---Ends a turn whose rows cannot be what bide wrote.
---@param turn bide.worker.Turn
---@param mistake string
local function refuse_rows(worker, turn, mistake)
  return fail(worker, turn, "?", "the store: " .. mistake)
end

---Ends a turn with strikes if they are as many as may be, or cannot be what bide wrote.
---@param turn bide.worker.Turn
---@return boolean ended
local function has_ended_by_strikes(worker, turn)
  if turn.strikes < 0 then
    refuse_rows(worker, turn, "strikes: expected a whole number, 0 or more")
  elseif turn.strikes >= MOST_STRIKES then
    strike_out(worker, turn)
  else
    return false
  end
  return true
end

---Prepares a turn that was claimed: its waiter, its input and the call of its attempts.
---@param turn bide.worker.Turn
---@return bide.worker.Definition? definition nil: it has ended, or was dropped
---@return bide.Waiter? variant of its waiter
---@return userdata? input
---@return (fun(): any)? call
local function prepare(worker, turn)
  if turn.mistake or not turn.seed then return refuse_rows(worker, turn, turn.mistake or "seed: expected a whole number") end
  if turn.strikes and has_ended_by_strikes(worker, turn) then return end
  local definition <const> = worker.definitions[turn.definition] or definition_of(worker, turn.definition)
  if not definition then return held_turns.drop(worker, turn) end
  local waiter <const>, filled = definition.waiter, nil
  if not waiter then return refuse_rows(worker, turn, definition --[[@as string]]) end
  local document, mistake, may_name_secrets
  document, mistake, turn.seen_output, turn.seen_error, may_name_secrets = read_turn(turn, definition.last_output)
  if not document then return refuse_rows(worker, turn, mistake) end
  if turn.owner ~= definition.owner then return refuse_rows(worker, turn, "its recipe is of another owner") end
  if waiter.token_member or may_name_secrets then
    document, filled = fill_in(worker, turn, definition, document, may_name_secrets)
    if not document then return fail(worker, turn, waiter.name, filled --[[@as string]]) end
  end
  worker.preparing = waiter.name
  local input, call, variant
  if waiter.token_member or waiter.other_acceptors then
    input, call, variant = read_input(waiter, document, definition.limits)
  else
    input, call = read_plain_input(waiter, waiter, document)
  end
  worker.preparing = nil
  if not input then return fail(worker, turn, waiter.name, call --[[@as string]]) end
  if filled then
    turn.filled = filled --[[@as bide.worker.Filled]]
    reach.limit(input, filled.names, filled.hosts)
  end
  return definition, variant or waiter, input, call
end

---Ends a turn whose preparation has raised an error: that of its recipe, or of what is read before it.
---@param turn bide.worker.Turn
---@param problem any
local function fail_of(worker, turn, problem)
  script_error.pass_out_of_memory(problem)
  local message, waiter = script_error.of(problem).message, worker.preparing
  worker.preparing = nil
  if waiter then return fail(worker, turn, waiter, message) end
  return refuse_rows(worker, turn, message)
end

---Leaves a turn whose row has no number of attempts: the store writes only by that, so its wait cannot be ended either, until
---its deadline is over.
---@param turn bide.worker.Turn
local function leave(worker, turn)
  if not worker.unnumbered then
    shown.complain(("warning: the store: the row of turn %d has no number of attempts, so its wait has none"):format(turn.id))
    worker.unnumbered = true
  end
  return held_turns.drop(worker, turn)
end

---Prepares a turn and begins its attempt. Rows that cannot be what bide wrote end that wait alone.
---@param worker bide.Worker
---@param turn bide.worker.Turn
function M.take(worker, turn)
  if not turn.attempts then return leave(worker, turn) end
  run_for(turn.id) -- it may load the recipe, and calls its `prepare`
  local ok, definition, variant, input, call = pcall(prepare, worker, turn)
  run_for(nil)
  if worker.turns[turn.id] ~= turn then return end -- the store was asked for its definition, and it was dropped meanwhile
  if not ok then return fail_of(worker, turn, definition) end
  if definition then return turns.begin(worker, turn, definition, variant, input, call) end
end

return M
