---The turns that a worker holds, the lease for which it holds them, and whether the store answers.

local core = require "bide.core"
local shown = require "bide.text.shown"
local verbs = require "bide.record.store.verbs"

local limits, loop = core.limits, core.loop

local M = {}

---In milliseconds, before a verb that failed is tried again.
local AGAIN = 500

---From which on no more turns are claimed, in bytes: the documents in hand, as texts; and the memory that the process takes for
---what it has in hand, garbage included. A document whose values are short takes ten times as much as its text.
local MOST_BYTES, MOST_MEMORY = 8 * verbs.most.claimed, 20 << 20

---From which on what was decided of a turn is large, in bytes.
local LARGE <const> = verbs.most.output

local WRITTEN <const>, ANY <const> = verbs.most.written, math.huge

---Lets the task of the verbs continue.
---@param worker bide.Worker
function M.wake(worker)
  local waker = worker.waker
  worker.waker = nil
  if waker then waker() end
end

---Reports whether what was decided, or is being written, is as many bytes as are written at a time.
---@param worker bide.Worker
---@return boolean
local function is_full(worker)
  return worker.decided >= WRITTEN
end

---Reports whether what was written is so much that it has to be collected.
---@param worker bide.Worker
---@return boolean
function M.has_garbage(worker)
  return worker.garbage >= WRITTEN
end

---Returns how many attempts may begin now, each of which may decide a megabyte: none where something has to be written or
---collected first; one where the last was large, since the next may end at once, too.
---@param worker bide.Worker
---@return number
function M.room_to_decide(worker)
  if worker.decided >= WRITTEN or worker.garbage >= WRITTEN then return 0 end
  return worker.is_large and 1 or ANY
end

---Reports whether all that was decided is written.
---@param worker bide.Worker
---@return boolean
function M.is_written(worker)
  return #worker.results + #worker.outcomes + #worker.sending == 0
end

---Reports whether what was decided is better written now than in a while: it is as much as is written at a time, or nothing
---more comes of what is in hand.
---@param worker bide.Worker
---@return boolean
function M.must_write(worker)
  local count = #worker.results + #worker.outcomes
  return count >= verbs.most.turns or count > 0 and (worker.over == worker.held or is_full(worker))
end

---Lets that task see that something was decided. It has seen the first, after which it writes in a while; those that come
---until then need not wake it, unless they have to be written now.
---@param worker bide.Worker
function M.wake_to_write(worker)
  local waker = worker.waker
  if waker and (#worker.results + #worker.outcomes == 1 or M.must_write(worker)) then M.wake(worker) end
end

---Notes what the process takes with empty hands, such as for large recipes.
---@param worker bide.Worker
local function note_rest(worker)
  collectgarbage() -- no attempt waits for it
  worker.rest = limits.used()
end

---Reports whether what is in hand takes so much memory that nothing more is claimed. Empty hands may always take something, so
---that no wait is too large for its turn.
---@param worker bide.Worker
---@return boolean
function M.is_heavy(worker)
  if worker.bytes >= MOST_BYTES then return true end
  if limits.used() - worker.rest < MOST_MEMORY then return false end
  if worker.held == 0 then note_rest(worker) end
  return worker.held > 0
end

---Returns how many more turns may be in hand, once some have left it.
---@param leaving integer
local function room(worker, leaving)
  if M.is_heavy(worker) then return 0 end
  return math.min(worker.options.jobs - (worker.held - worker.kept) + leaving, verbs.most.turns)
end

---Returns how many more turns may be in hand.
---@param worker bide.Worker
---@return integer
function M.room(worker)
  return room(worker, 0)
end

---Returns how many turns may be claimed together with what was decided, and how many bytes: those that are over are let go
---with that.
---@param worker bide.Worker
---@return integer turns
---@return integer bytes
function M.room_once_written(worker)
  return room(worker, worker.over), math.min(MOST_BYTES - worker.bytes, verbs.most.claimed)
end

---Counts a turn that is kept as kept no longer.
local function keep_no_longer(worker, turn)
  turn.kept_since, worker.kept = nil, worker.kept - 1
end

---Notes that a turn is let go once what it has decided is written, its wait being over in this process.
---@param worker bide.Worker
---@param turn bide.worker.Turn
function M.finish(worker, turn)
  if turn.kept_since then keep_no_longer(worker, turn) end
  if turn.wait == false then return end
  turn.wait = false
  if worker.turns[turn.id] == turn then worker.over = worker.over + 1 end
end

---Takes what was decided of a turn, to be written.
---@param list table[] results or outcomes of the worker
---@param decided bide.record.Result|bide.record.Outcome
function M.decide(worker, list, decided)
  local bytes <const> = decided.bytes or verbs.weight_decided(decided)
  decided.bytes, worker.is_large = bytes, bytes > LARGE
  list[#list + 1], worker.decided = decided, worker.decided + bytes
end

---Ends what a turn does in this process.
---@param worker bide.Worker
---@param turn bide.worker.Turn
local function quiet(worker, turn)
  if turn.kept_since then keep_no_longer(worker, turn) end
  if not turn.wait then return end
  worker.gate:withdraw(turn.wait)
  turn.wait:abandon()
  turn.wait = nil
end

---Drops a turn: what it decides from now on does not count.
---@param worker bide.Worker
---@param turn bide.worker.Turn
function M.drop(worker, turn)
  if worker.turns[turn.id] ~= turn then return end
  worker.turns[turn.id], worker.held, worker.bytes = nil, worker.held - 1, worker.bytes - (turn.bytes or 0)
  if turn.wait == false then worker.over = worker.over - 1 end
  if turn.wait or turn.kept_since then quiet(worker, turn) end
end

---Returns the queue of a turn.
---@param worker bide.Worker
---@param turn bide.worker.Turn
---@return string
function M.queue_of(worker, turn)
  return turn.queue or worker.options.queues[1].name
end

---Takes turns that were claimed, each in the place of what was held of it.
---@param worker bide.Worker
---@param turns bide.worker.Turn[]
---@param queue string
---@return integer bytes of their documents
function M.hold(worker, turns, queue)
  local held <const>, bytes <const> = worker.turns, core.turns.weigh(turns)
  local name <const> = #worker.options.queues > 1 and queue or nil
  worker.held, worker.bytes = worker.held + #turns, worker.bytes + bytes
  for position = 1, #turns do
    local turn <const> = turns[position]
    local id <const> = turn.id
    if held[id] then M.drop(worker, held[id]) end
    held[id], turn.written = turn, turn.attempts
    if name then turn.queue = name end
  end
  return bytes
end

---Notes which results, or outcomes, were written. Turns that have nothing more to write are let go, and dropped those whose
---results were not written: they are of another worker now, or their waits have ended.
---@param worker bide.Worker
---@param sent table[]
---@param ids integer[] of the turns of those that were written
function M.note_written(worker, sent, ids)
  local left, bytes, leaving = core.turns.written(sent, ids, worker.turns)
  worker.held, worker.bytes, worker.over = worker.held - left, worker.bytes - bytes, worker.over - left
  for _, one in ipairs(leaving) do M.drop(worker, one.turn) end
end

---@param worker bide.Worker
function M.drop_all(worker)
  for _, turn in pairs(worker.turns) do M.drop(worker, turn) end
end

---Forgets what was decided and is written, or does not count. Of large ones, little would fill the memory with garbage.
---@param list table[]
function M.forget(worker, list)
  local bytes = 0
  for position = 1, #list do bytes = bytes + list[position].bytes end
  worker.decided = worker.decided - bytes
  if bytes > LARGE * #list then worker.garbage = worker.garbage + bytes end
end

---Cuts what is in flight. What was decided stays in hand, to be written once the store answers; no turn is kept beyond the
---last of that, and none is released before it: a claim could have it again.
local function cut(worker)
  local is_decided = {}
  for _, list in ipairs { worker.results, worker.outcomes, worker.sending } do
    for _, one in ipairs(list) do
      is_decided[one.id] = true
      if one.attempts == one.turn.attempts and not one.turn.ending then one.keep = nil end
    end
  end
  for id, turn in pairs(worker.turns) do
    if is_decided[id] then
      quiet(worker, turn)
      M.finish(worker, turn)
    else
      M.drop(worker, turn)
    end
  end
  worker.must_sync = true
end

---Reports whether attempts may begin; cuts what is in flight if the lease may be over soon.
---@param worker bide.Worker
---@return boolean
function M.is_sure(worker)
  if worker.me and loop.update() < worker.sure_until then return true end
  cut(worker)
  return false
end

---Notes that a beat was answered, which was sent at that time.
---@param worker bide.Worker
function M.renew(worker, sent)
  worker.sure_until = sent + worker.store.lease // 2000
  worker.lease_alarm:start(worker.sure_until)
end

---Forgets everything, since the store does not know this worker any more: it enters anew.
local function expire_worker(worker, me)
  if worker.me ~= me then return end
  worker.metrics:count "expired"
  M.drop_all(worker)
  worker.results, worker.outcomes, worker.decided, worker.me = {}, {}, 0, nil
  worker.lease_alarm:stop()
  M.wake(worker)
end

---Handles the failure of a verb. An expired worker drops everything and enters anew; after any other failure, what the
---store knows may differ from what is held.
---@param worker bide.Worker
---@param failure bide.record.Failure
---@param me? bide.record.Worker for which the verb was called
function M.on_failure(worker, failure, me)
  if failure.kind == "expired" then return expire_worker(worker, me) end
  worker.try_at, worker.must_sync = loop.update() + AGAIN, true
  worker.metrics.is_up, worker.metrics.held = false, worker.held
  if worker.has_warned or worker.is_stopped then return end
  worker.has_warned = true
  shown.complain(("warning: %s; waits sleep on until it can be reached"):format(failure.message))
end

---Notes that the verbs were answered. While a duty beside them is not, the store counts as away: only one of its connections
---is free, or one server of several, or another program has locked what the duty writes.
---@param worker bide.Worker
function M.on_success(worker)
  worker.metrics.is_up, worker.metrics.held = not next(worker.unanswered), worker.held
  if not worker.has_warned or next(worker.unanswered) then return end
  worker.has_warned = nil
  shown.complain(("%s can be reached again"):format(worker.store.url))
end

return M
