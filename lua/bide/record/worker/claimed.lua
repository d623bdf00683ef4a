---A turn that was claimed: its definition is read, its wait prepared, and its attempt begun. Rows that cannot be what bide
---wrote end that wait alone.

local core = require "bide.core"
local hand = require "bide.record.worker.hand"
local named_secret = require "bide.recipe.input.named_secret"
local reach = require "bide.probe.asking.reach"
local script_error = require "bide.text.script_error"
local shown = require "bide.text.shown"
local states = require "bide.record.store.state"
local turns = require "bide.record.worker.turns"
local verbs = require "bide.record.store.verbs"
local waiters = require "bide.wait.waiter"

local json, run_for = core.json, core.task.run_for

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
  if definition then definition.kinds, definition.limits.gate = {}, worker.gate end
  worker.definitions[id] = definition or refuse(worker, found, mistake)
  return worker.definitions[id]
end

---Puts the token of a wait into its input, and the secrets that it names.
---@param turn bide.worker.Turn
---@param definition bide.worker.Definition
---@param document userdata its input
---@return userdata? document
---@return bide.worker.Filled|string|nil filled nil if there are no secrets; or the mistake
local function input_of(worker, turn, definition, document)
  local waiter = definition.waiter
  if turn.token and waiter.token_member then
    local members = document:value()
    members[waiter.token_member] = turn.token
    document = assert(json.document(members))
  end
  if not named_secret.may_be_in(turn.input) then return document end
  return worker.options.secrets:fill(document, turn.owner, definition.digest)
end

---Ends a turn with a mistake of its recipe, or of its rows. One that is found while the worker is being stopped does not count:
---the signal may have ended the code that was asked. Another worker prepares the turn again.
---@param turn bide.worker.Turn
---@param waiter string
---@param message string
local function fail(worker, turn, waiter, message)
  if worker.is_stopped then return hand.drop(worker, turn) end
  return turns.fail(worker, turn, waiter, message)
end

---Ends a wait whose code has ended as many workers as may be; what it would do next is not tried, so its recipe is not read.
---@param turn bide.worker.Turn
local function strike_out(worker, turn)
  local found = worker.store:definition(turn.definition)
  if not found then return hand.drop(worker, turn) end
  local reasons = json.decode(turn.error or "")
  if type(reasons) ~= "table" then reasons = {} end
  local how = ("its code ended the worker %d times: %s"):format(turn.strikes, table.concat(reasons, "; "))
  fail(worker, turn, found.waiter, how)
end

---Returns from where a turn continues.
---@param turn bide.worker.Turn
---@param limits bide.Limits
---@return bide.Resumption? from
---@return string? mistake
local function resumption_of(turn, limits)
  local record, delay, members = nil, 0, nil
  if turn.format > 0 then record, delay, members = states.unpack(turn.state) end
  if turn.format > 0 and not record then return nil, delay --[[@as string]] end
  local failure = turn.strikes == 0 and turn.seen_error or nil -- else it is the list of their reasons
  return {
    state = record, seed = not record and (limits.seed or verbs.seed(turn.seed)) or nil, elapsed = 0, delay = delay,
    members = members, output = turn.seen_output, error = failure, is_single = true,
  }
end

---Prepares a turn that was claimed: its waiter, its input and its state.
---@param turn bide.worker.Turn
---@return bide.worker.Definition? definition nil: it has ended, or was dropped
---@return bide.PreparedWait? prepared
---@return bide.Resumption? from
local function prepare(worker, turn)
  if turn.strikes >= verbs.STRIKES then return strike_out(worker, turn) end
  local definition = definition_of(worker, turn.definition)
  if not definition then return hand.drop(worker, turn) end
  local input, mistake
  if type(definition) == "string" then
    mistake = definition
  else
    input, mistake, turn.seen_output, turn.seen_error = verbs.read_turn(turn)
  end
  if not mistake and turn.owner ~= definition.owner then mistake = "its recipe is of another owner" end
  if mistake then return fail(worker, turn, "?", "the store: " .. mistake) end
  local waiter = definition.waiter
  local document, filled = input_of(worker, turn, definition, input)
  if not document then return fail(worker, turn, waiter.name, filled --[[@as string]]) end
  local ok, prepared, refusal = pcall(waiters.prepared, waiter, document, definition.limits)
  if not ok then
    script_error.pass_out_of_memory(prepared)
    prepared, refusal = nil, script_error.of(prepared).message
  end
  if not prepared then return fail(worker, turn, waiter.name, refusal) end
  if filled then
    turn.filled = filled --[[@as bide.worker.Filled]]
    reach.limit(prepared.input, filled.names, filled.hosts)
  end
  local from
  from, mistake = resumption_of(turn, prepared.limits)
  if not from then return fail(worker, turn, waiter.name, "the store: " .. mistake) end
  return definition, prepared, from
end

---Prepares a turn and begins its attempt. Rows that cannot be what bide wrote end that wait alone.
---@param worker bide.Worker
---@param turn bide.worker.Turn
function M.take(worker, turn)
  run_for(turn.id) -- it may load the recipe, and calls its `prepare`
  local ok, definition, prepared, from = pcall(prepare, worker, turn)
  run_for(nil)
  if worker.hand[turn.id] ~= turn then return end -- the store was asked for its definition, and it was dropped meanwhile
  if ok and definition then return turns.begin(worker, turn, definition, prepared, from) end
  if ok then return end
  script_error.pass_out_of_memory(definition)
  fail(worker, turn, "?", "the store: " .. script_error.of(definition).message)
end

return M
