---The verbs that the task of a worker calls, one at a time: to enter, to write what was decided, to claim, to compare. Each
---says whether it is done.

local await = require "bide.task.await"
local claimed = require "bide.record.worker.claimed"
local core = require "bide.core"
local garbage = require "bide.record.worker.garbage"
local held_turns = require "bide.record.worker.held_turns"
local luv = require "luv"
local shown = require "bide.text.shown"
local states = require "bide.record.store.state"
local verbs = require "bide.record.store.verbs"
local yield = require "bide.task.yield"

local loop, service, task, turns = core.loop, core.service, core.task, core.turns

local M = {}

---In milliseconds: between two comparisons of what is held; between two polls of a queue; the time by which turns that are
---claimed between two sweeps may be overdue, and between two sweeps.
local SYNC, POLL, BACK, SWEEP = 60000, 200, 500, 5000

---In nanoseconds: the time for which turns are prepared before timers fire. They fire several times between two polls of the
---sockets.
local LONGEST = 250000

---The order in which lanes are asked: the high one 8 times, the normal one 4 times, the low one once.
local lanes = { 1, 1, 2, 1, 1, 2, 1, 3, 1, 2, 1, 1, 2 }

---Calls a verb, with what its answer means for the turns that are held; until that is done, what the store knows may differ.
---@param f fun(worker: bide.Worker, ...): boolean done
local function change(worker, f, ...)
  worker.begun = worker.begun + 1
  local is_done = f(worker, ...)
  worker.ended = worker.ended + 1
  return is_done
end

---Takes out of a list what the store may write now: of each turn in hand the first, in their order, as far as there is room for
---their bytes in one message; one goes in any case. A turn that was dropped and claimed again is another one: what was decided
---before does not count.
---@param before table[] what has to be written before, of the same turns
---@return table[] firsts
---@return table[] rest
local function take_firsts(worker, list, before)
  local firsts, rest, stale = turns.firsts(list, before, worker.turns, verbs.most.written)
  for _, one in ipairs(stale) do held_turns.forget(worker, { one }) end
  return firsts, rest
end

---Writes by a verb what was decided of turns in hand; after a failure, it waits again.
---@param name "results"|"outcomes"
---@param before table[] what has to be written before, of the same turns
---@return boolean done
local function write(worker, verb, name, before)
  local me = worker.me
  local sent, rest = take_firsts(worker, worker[name], before)
  worker[name], worker.sending = rest, sent
  if #sent == 0 then return true end
  local written, detail = worker.store[verb](worker.store, me, sent)
  worker.sending = {}
  if worker.me ~= me then return false end
  if written then
    held_turns.forget(worker, sent)
    held_turns.note_written(worker, sent, written)
    worker.made = worker.made + #written
    worker.metrics:count("doubles_refused", #sent - #written)
    if detail then worker.poll_at = loop.update() end -- other waits were opened by these
    return true
  end
  worker[name] = table.move(worker[name], 1, #worker[name], #sent + 1, sent)
  held_turns.on_failure(worker, detail, me)
  return false
end

---Writes what attempts have decided up to now. The end of a turn waits for its results that come before.
---@param worker bide.Worker
---@return boolean done
local function flush(worker)
  return change(worker, write, "settle", "results", {}) and change(worker, write, "finish", "outcomes", worker.results)
end

---Writes that, and lets continue what waits for it: claims that were sent meanwhile, the collection of what was written, and an
---attempt that is made alone.
---@param worker bide.Worker
---@return boolean done
function M.flush(worker)
  worker.is_flushing = true
  local is_done = flush(worker)
  worker.is_flushing = false
  local waker = worker.flushed
  worker.flushed = nil
  if waker then waker() end
  garbage.wake_if_due(worker)
  worker.gate:resume()
  return is_done
end

---Waits until what was decided before is written: of a turn that this releases, the answer to a claim may have the next.
local function await_flush(worker)
  if not worker.is_flushing then return end
  worker.flushed = task.waker()
  task.pause(worker.flushed)
end

local function is_ending(worker)
  return worker.is_stopped or worker.fault
end

---Prepares turns that were claimed and begins their attempts, until it is cancelled. It does so beside the verbs: the store
---works at the next claim meanwhile. Attempts that are due do not wait for all of them. A worker that is not sure of its lease
---has dropped them; each attempt asks again.
---@param worker bide.Worker
function M.begin_claimed(worker)
  local began = luv.hrtime()
  while true do
    local list = table.remove(worker.claimed, 1)
    if not list then
      await(nil, function(waker) worker.claim_came = waker end)
      worker.claim_came, began = nil, luv.hrtime()
    end
    held_turns.is_sure(worker)
    for _, turn in ipairs(list or {}) do
      if worker.turns[turn.id] == turn and not is_ending(worker) then claimed.take(worker, turn) end
      if luv.hrtime() - began >= LONGEST then
        yield()
        began = luv.hrtime()
        held_turns.is_sure(worker)
      end
    end
  end
end

---Returns the lanes of a queue in the order in which they are asked. Each queue has a turn of its own: one for all queues
---would keep step with their weights.
local function lanes_in_turn(worker, queue)
  local first = lanes[(worker.firsts[queue] or 0) % #lanes + 1]
  return { first, first ~= 1 and 1 or 2, first ~= 3 and 3 or 2 }
end

---Notes whether the role has its right on a queue: without it, the others are served.
---@param mistake string?
local function note_right(worker, queue, mistake)
  local had = not worker.barred[queue]
  worker.barred[queue] = mistake ~= nil or nil
  if mistake and had then
    shown.complain(("warning: %s; the other queues are served"):format(mistake))
  elseif not mistake and not had then
    shown.complain(("the queue %s is served again"):format(queue))
  end
  return true
end

---Claims turns of a queue, whose attempts then begin.
---@return boolean done
local function claim(worker, queue, back)
  local want, most = held_turns.room_once_written(worker)
  local me, before = worker.me, loop.update()
  if want <= 0 or worker.barred[queue] and back ~= math.maxinteger then return true end
  local clock, list = worker.store:claim(me, {
    queue = queue, lanes = lanes_in_turn(worker, queue), want = want, bytes = most, ahead = worker.store.ahead, back = back,
  })
  local after = loop.update()
  await_flush(worker)
  if worker.me ~= me then return false end
  if not clock and list.is_right and #worker.options.queues > 1 then return note_right(worker, queue, list.message) end
  if not clock then
    held_turns.on_failure(worker, list, me)
    return false
  end
  if worker.barred[queue] then note_right(worker, queue) end
  worker.clock:note(clock, before, after)
  local bytes = held_turns.hold(worker, list, queue)
  worker.claimed[#worker.claimed + 1] = list
  if worker.claim_came then worker.claim_came() end
  if #list == want or bytes >= most then worker.is_full = true end
  return true
end

---Returns the queues in the order in which they are asked: each of them first as often as its weight says.
local function queues_in_turn(worker)
  local list, total = worker.options.queues, 0
  for _, queue in ipairs(list) do total = total + queue.weight end
  local place, first = worker.polls % total, 1
  while place >= list[first].weight do
    place, first = place - list[first].weight, first + 1
  end
  local order = { list[first].name }
  for position, queue in ipairs(list) do
    if position ~= first then order[#order + 1] = queue.name end
  end
  return order
end

---Asks queues for turns, until the hands are full or one had as many as were wanted: another poll then follows at once, and
---it is the turn of another lane. Nothing is claimed before what is held is compared.
---@param worker bide.Worker
---@return boolean done
function M.poll(worker, now)
  local back = BACK * 1000
  worker.poll_at = now + POLL
  if now >= worker.sweep_at or worker.is_full then back, worker.sweep_at = math.maxinteger, now + SWEEP end
  worker.is_full = nil
  local queues = queues_in_turn(worker)
  for _, queue in ipairs(queues) do
    local may_claim = not worker.must_sync and held_turns.is_sure(worker)
    if not worker.is_full and (not may_claim or not change(worker, claim, queue, back)) then return false end
  end
  worker.polls, worker.firsts[queues[1]] = worker.polls + 1, (worker.firsts[queues[1]] or 0) + 1
  if worker.is_full then worker.poll_at = now end
  return true
end

---@param worker bide.Worker
---@return boolean done
local function sync(worker)
  local ids, me = {}, worker.me
  for id in pairs(worker.turns) do ids[#ids + 1] = id end
  worker.must_sync = false
  local attempts_of, failure = worker.store:sync(me, ids)
  if worker.me ~= me then return false end
  if not attempts_of then
    held_turns.on_failure(worker, failure, me)
    return false
  end
  worker.sync_at = loop.update() + SYNC
  for _, id in ipairs(ids) do
    local turn = worker.turns[id]
    if turn and attempts_of[id] ~= turn.written then
      held_turns.drop(worker, turn)
      worker.must_sync = worker.must_sync or attempts_of[id] ~= nil
    end
  end
  return true
end

---Gives back what the store says is claimed and is not in hand, and drops what the store knows otherwise: after a lost
---connection, answers of claims and settles may be lost as well, and after a failover what they did.
---@param worker bide.Worker
---@return boolean done
function M.sync(worker)
  return change(worker, sync)
end

---Warns once if the states that others write are of a newer form than this program reads.
local function warn_of_formats(worker)
  local writes <const> = worker.store.writes
  if writes <= states.NEWEST or worker.has_warned_of_formats then return end
  worker.has_warned_of_formats = true
  shown.complain(("warning: the store has states of form %d, and this worker reads up to %d: it leaves their waits to newer "
    .. "workers"):format(writes, states.NEWEST))
end

---@param worker bide.Worker
---@return boolean done
function M.enter(worker)
  local options, sent = worker.options, loop.update()
  local is_again = worker.served ~= nil or service.accident() ~= nil
  local me, failure = worker.store:enter {
    name = options.name, kind = options.kind, version = options.version, host = luv.os_gethostname(),
    pid = math.tointeger(luv.os_getpid()),
    queues = options.queues, slots = options.jobs, formats = states.formats, is_again = is_again,
  }
  if not me then
    if failure.kind == "refused" and not is_again then
      worker.refusal = failure.message
      worker:stop()
    else
      held_turns.on_failure(worker, failure)
    end
    return false
  end
  worker.me, worker.definitions, worker.must_sync = me, {}, false
  warn_of_formats(worker)
  worker.sync_at = sent + SYNC
  held_turns.renew(worker, sent)
  return true
end

---Writes how the process before this one ended, so that its turns are free at once, and its wait has a strike.
---@return boolean done
local function report_accident(worker, old, wait, how)
  local me = worker.me
  local struck, failure = worker.store:strike(me, { worker = old, wait = wait, reason = how })
  if worker.me ~= me then return false end
  if struck == nil then
    held_turns.on_failure(worker, failure, me)
    return false
  end
  local whose = "no code of a wait was running"
  if struck then
    worker.metrics:count "strikes"
    whose = ("code of wait %d of run %d was running, which is strike %d of %d"):format(struck.position, struck.run,
      struck.strikes, verbs.STRIKES)
  end
  shown.complain(("warning: the process of this worker ended %s: %s"):format(how, whose))
  service.settle()
  worker.sweep_at = loop.now() -- what was released is overdue
  return true
end

---Says under which id the supervisor shall report this process, once that of the process before it was written.
---@param worker bide.Worker
---@return boolean done
function M.serve(worker)
  local old, wait, how = service.accident()
  if old and not report_accident(worker, old, wait, how) then return false end
  service.serve(worker.me.id)
  worker.served = worker.me
  return true
end

return M
