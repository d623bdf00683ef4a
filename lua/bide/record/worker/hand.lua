---The turns that a worker has in hand, the lease for which it has them, and whether the store answers.

local core = require "bide.core"
local shown = require "bide.text.shown"
local verbs = require "bide.record.store.verbs"

local loop = core.loop

local M = {}

---In milliseconds, before a verb that failed is tried again.
local AGAIN = 500

---The bytes of the inputs in hand from which on no more turns are claimed.
local MOST_BYTES = 2 * verbs.most.claimed

---Lets the task of the verbs continue.
---@param worker bide.Worker
function M.wake(worker)
  local waker = worker.waker
  worker.waker = nil
  if waker then waker() end
end

---Reports whether what was decided is better written now than in a while: it is as much as is written at a time, or nothing
---more comes of what is in hand.
---@param worker bide.Worker
---@return boolean
function M.must_write(worker)
  local count = #worker.results + #worker.outcomes
  return count >= verbs.most.turns or count > 0 and worker.over == worker.held
end

---Lets that task see that something was decided. It has seen the first, after which it writes in a while; those that come
---until then need not wake it, unless they have to be written now.
---@param worker bide.Worker
function M.wake_to_write(worker)
  if #worker.results + #worker.outcomes == 1 or M.must_write(worker) then M.wake(worker) end
end

---Returns how many more turns may be in hand.
---@param worker bide.Worker
function M.room(worker)
  if worker.bytes >= MOST_BYTES then return 0 end
  return math.min(worker.options.jobs - (worker.held - worker.kept), verbs.most.turns)
end

---Returns how many turns may be claimed together with what was decided: those that are over leave the hand with that.
---@param worker bide.Worker
function M.room_once_written(worker)
  local room = M.room(worker)
  return worker.bytes < MOST_BYTES and math.min(room + worker.over, verbs.most.turns) or room
end

---Counts the input of a turn that comes into the hand, or leaves it.
---@param worker bide.Worker
---@param turn bide.worker.Turn
---@param sign integer 1 or -1
---@return integer bytes
function M.weigh(worker, turn, sign)
  local bytes <const> = #(turn.input or "")
  worker.bytes = worker.bytes + sign * bytes
  return bytes
end

---Counts a turn as kept no longer.
local function keep_no_longer(worker, turn)
  if turn.kept_since then turn.kept_since, worker.kept = nil, worker.kept - 1 end
end

---Notes that a turn leaves the hand once what it has decided is written.
---@param worker bide.Worker
---@param turn bide.worker.Turn
function M.finish(worker, turn)
  keep_no_longer(worker, turn)
  if turn.is_over then return end
  turn.is_over = true
  if worker.hand[turn.id] == turn then worker.over = worker.over + 1 end
end

---Ends what a turn does in this process.
---@param worker bide.Worker
---@param turn bide.worker.Turn
local function quiet(worker, turn)
  keep_no_longer(worker, turn)
  if not turn.wait then return end
  worker.gate:withdraw(turn.wait)
  turn.wait:abandon()
  turn.wait = nil
end

---Drops a turn: what it decides from now on does not count.
---@param worker bide.Worker
---@param turn bide.worker.Turn
function M.drop(worker, turn)
  if worker.hand[turn.id] ~= turn then return end
  worker.hand[turn.id], worker.held = nil, worker.held - 1
  M.weigh(worker, turn, -1)
  if turn.is_over then worker.over = worker.over - 1 end
  quiet(worker, turn)
end

---@param worker bide.Worker
function M.drop_all(worker)
  for _, turn in pairs(worker.hand) do M.drop(worker, turn) end
end

---Returns the entries of a list whose turns are in hand. A turn that was dropped and claimed again is another one: what was
---decided before does not count.
---@param worker bide.Worker
function M.of_held(worker, list)
  local kept = {}
  for _, one in ipairs(list) do
    if worker.hand[one.id] == one.turn then kept[#kept + 1] = one end
  end
  return kept
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
  for id, turn in pairs(worker.hand) do
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
  worker.results, worker.outcomes, worker.me = {}, {}, nil
  worker.lease_alarm:stop()
  M.wake(worker)
end

---Handles the failure of a verb. An expired worker drops everything and enters anew; after any other failure, what the
---store knows may differ from what is held.
---@param worker bide.Worker
---@param failure bide.store.Failure
---@param me? bide.store.Worker for which the verb was called
function M.on_failure(worker, failure, me)
  if failure.kind == "expired" then return expire_worker(worker, me) end
  worker.try_at, worker.must_sync, worker.metrics.is_up = loop.update() + AGAIN, true, false
  if worker.has_warned or worker.is_stopped then return end
  worker.has_warned = true
  shown.complain(("warning: %s; waits sleep on until it can be reached"):format(failure.message))
end

---Notes that the verbs were answered. While the duties beside them are not, on a connection of their own, the store counts as
---away: only one of its connections is free, or one server of several.
---@param worker bide.Worker
function M.on_success(worker)
  worker.metrics.is_up, worker.metrics.held = not worker.fails_beside, worker.held
  if not worker.has_warned or worker.fails_beside then return end
  worker.has_warned = nil
  shown.complain(("%s can be reached again"):format(worker.store.url))
end

return M
