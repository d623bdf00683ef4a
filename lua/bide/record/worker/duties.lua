---The duties of a worker beside its verbs, on the second connection of its store, so that a slow claim delays no beat: it renews
---its lease, looks after the turns of dead workers, and measures how late the queues are.

local await = require "bide.task.await"
local core = require "bide.core"
local held_turns = require "bide.record.worker.held_turns"
local verbs = require "bide.record.store.verbs"

local loop = core.loop

local M = {}

---In milliseconds: between two looks for dead workers, and between two times of maintenance.
local REAP, MAINTAIN = 1000, 3600000

---The beats within a lease, and the most milliseconds between two of them, by which a cancelled wait is cut.
local BEATS, LONGEST_BEAT = 5, 1000

---The beats in a row that differ, after which what is held is compared even if verbs were under way.
local DOUBTS = 5

---In milliseconds: between two questions for how late a queue is, which only metrics need; before the next look whether the
---worker has entered, whose first beat has the clock in its answer.
local LAG, ENTERS = 5000, 20

---Has what is held be compared, since the store knows other turns. A verb that is under way changes them there and here at
---different times, so a difference beside one has to last.
---@param is_still boolean whether none was under way
local function doubt(worker, is_still)
  worker.doubts = worker.doubts + 1
  if not is_still and worker.doubts < DOUBTS then return end
  worker.doubts, worker.must_sync = 0, true
  held_turns.wake(worker)
end

---Renews the lease, drops what was cancelled, and notes the store's clock: the answer to a beat is short, while that to a
---claim may have hundreds of turns behind its clock.
local function beat(worker)
  local me, sent, begun, ended = worker.me, loop.update(), worker.begun, worker.ended
  local cancelled, differs, clock = worker.store:beat(me, verbs.held(worker.turns, "written"))
  if worker.me ~= me then return end
  worker.unanswered.beat = not cancelled or nil
  if not cancelled then return held_turns.on_failure(worker, differs, me) end
  local now = loop.update()
  worker.clock:note(clock, sent, now)
  worker.clock.is_near = true
  local was_sure = now < worker.sure_until
  held_turns.renew(worker, sent)
  for _, id in ipairs(cancelled) do
    if worker.turns[id] then held_turns.drop(worker, worker.turns[id]) end
  end
  if differs then doubt(worker, begun == ended and worker.begun == begun) else worker.doubts = 0 end
  if not was_sure then held_turns.wake(worker) end
end

---Beats as long as the worker is known.
---@param worker bide.Worker
function M.keep_lease(worker)
  while true do
    local next_at = loop.update() + (worker.me and math.min(worker.store.lease // 1000 // BEATS, LONGEST_BEAT) or ENTERS)
    if worker.me then beat(worker) end
    await(next_at)
  end
end

---Releases the turns of dead workers, and forgets what is no longer retained. What was released is overdue, and found by a
---sweep. Before the worker is let in, what fails is said by the verb that lets it in.
---@param worker bide.Worker
function M.look_after_others(worker)
  local maintain_at = loop.update()
  while true do
    local next_at = loop.update() + REAP
    local reaped, failure = worker.store:reap()
    if reaped and reaped.turns > 0 then worker.sweep_at = loop.now() end
    if reaped and loop.now() >= maintain_at then
      maintain_at = loop.now() + MAINTAIN
      reaped, failure = worker.store:maintain()
    end
    worker.unanswered.reap = not reaped or nil
    if not reaped and worker.me then held_turns.on_failure(worker, failure, worker.me) end
    await(next_at)
  end
end

---Asks how late the queues are.
---@param worker bide.Worker
function M.measure_lag(worker)
  while true do
    local next_at = loop.update() + LAG
    for _, queue in ipairs(worker.options.queues) do
      worker.metrics.lag[queue.name] = worker.store:lag(queue.name) -- nil if it does not answer
    end
    await(next_at)
  end
end

return M
