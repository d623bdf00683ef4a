---A worker of a store: claims turns, makes their attempts, and writes what they decided, until it is stopped.
---
---Attempts begin and end in callbacks, which may not wait. One task claims turns and writes what was decided: it sleeps until
---a verb is due or a callback wakes it. Others prepare what was claimed, beat and reap beside it. A worker whose beats have
---had no answer for half of its lease begins nothing and cuts what is in flight, since others may soon take its turns.

local calls = require "bide.record.worker.calls"
local clocks = require "bide.record.worker.clock"
local core = require "bide.core"
local duties = require "bide.record.worker.duties"
local garbage = require "bide.record.worker.garbage"
local gates = require "bide.record.worker.gate"
local held_turns = require "bide.record.worker.held_turns"
local metrics = require "bide.record.worker.metrics"

local loop = core.loop

local M = {}

---In milliseconds: before results are written; between two looks for an answer to a beat; for a verb that is under way as the
---worker is stopped, and for those by which it then gives back: together less than a second.
local FLUSH, UNSURE, LAST_VERB, GIVE_BACK = 50, 200, 300, 600

---A waiter with its limits, as a definition of the store describes it.
---@class bide.worker.Definition
---@field waiter bide.Waiter
---@field limits bide.Limits
---@field bundle integer
---@field digest string of the bundle, hexadecimal
---@field owner string? of the bundle, where roles submit
---@field last_output? table of a turn that was read last
---@field kinds? table<bide.Waiter, bide.WaitKind> of attempts, by the variant of the waiter; the worker's own

---The secrets by name of an input, once they are filled in.
---@class bide.worker.Filled
---@field names string[]
---@field texts string[] their values
---@field hosts bide.reach.Host[] where they may go

---Fills in the secrets of an input, for an owner and a recipe.
---@class bide.worker.Secrets
---@field fill fun(self, document: userdata, owner: string?, digest: string): userdata?, bide.worker.Filled|string|nil

---A turn in hand. Its table has room for 16 members, which is what nearly all turns have.
---@class bide.worker.Turn : bide.record.Turn, bide.AttemptOf
---@field queue string? if the worker has several
---@field wait bide.Wait|false|nil while it sleeps before its attempt, or makes it; false once nothing more is done here
---@field filled bide.worker.Filled? if its input names secrets
---@field bytes integer of its documents
---@field written integer the attempts that the store has, as far as this worker knows
---@field ending bide.record.Outcome? its end, once that was decided
---@field kept_since integer? when it was kept first
---@field output_at integer? when its output was last written while it is kept
---@field seen_output userdata? the document of the output that the store has, but for its secrets
---@field seen_error userdata? that of the error

---@class bide.WorkerOptions
---@field name string
---@field queues { name: string, weight: integer }[]
---@field jobs integer how many turns are held at a time
---@field version string
---@field kind "sandboxed"|"trusted"
---@field read fun(found: bide.record.Definition.Found): bide.worker.Definition?, string? checks the files of its bundle
---@field secrets bide.worker.Secrets
---@field metrics bide.Metrics? which somebody reads
---@field drain integer? milliseconds for which running attempts may end after it was stopped

---@class bide.Worker
---@field store bide.Store
---@field options bide.WorkerOptions
---@field refusal string? why it ended: the store did not let it in at its start
---@field served bide.record.Worker? the one under whose id the supervisor knows this process
---@field me bide.record.Worker? nil until it has entered, and once the store does not know it any more
---@field turns table<integer, bide.worker.Turn> those that it holds
---@field held integer how many are in hand
---@field bytes integer of their documents
---@field rest integer the memory that the process takes with empty hands
---@field kept integer how many of them are kept between two attempts
---@field claimed bide.worker.Turn[][] turns in hand that are still to be prepared, by claims; some have left the hand since
---@field preparing string? the waiter of the turn whose input is being read
---@field claim_came bide.Waker? called once there are any
---@field over integer how many of the others are let go once what they have decided is written
---@field gate bide.worker.Gate
---@field helpers { run: fun(self: any) }[] what attempts share with those of other workers, such as the pace of requests
---@field results bide.record.Result[] to be settled, in the order in which they came
---@field outcomes bide.record.Outcome[] to be finished
---@field sending table[] results or outcomes that a verb is writing
---@field decided integer bytes of all three
---@field is_large boolean? whether the last of them is large
---@field garbage integer bytes of large ones that were written since the last collection
---@field garbage_came bide.Waker? called once the next one is due
---@field used integer bytes of memory after it
---@field is_flushing boolean? whether what was decided is being written
---@field flushed bide.Waker? called once it is, for a claim that was sent behind it
---@field definitions table<integer, bide.worker.Definition|string|false> or why it cannot be run; false: its bundle is refused
---@field clock bide.worker.Clock
---@field sure_until integer on the loop's clock: half a lease after the last beat that was answered was sent
---@field unanswered table<"beat"|"reap", true?> the duties beside the verbs that were not answered when they were last called
---@field private last_verb bide.Alarm? cuts the verb that is under way, after the worker was stopped
---@field barred table<string, true> queues in which the role may not work any more
---@field must_sync boolean whether what is held may differ from what the store knows
---@field is_stopped boolean whether it takes nothing more
---@field fault any[]|false what a task of it has raised
---@field begun integer the verbs that change what is held, and
---@field ended integer those of them that are done
---@field doubts integer the beats in a row since which the store knows other turns
---@field made integer the number of attempts that were written
---@field metrics bide.Metrics
local Worker = {}
Worker.__index = Worker

---Starts a task beside that of the verbs. A mistake in it is raised by the latter.
---@return bide.Task
local function start(worker, f)
  return core.task.start(f, function(_, how, fault)
    if how ~= "raised" then return end
    worker.fault = { fault }
    held_turns.wake(worker)
  end, nil, worker, "unlimited")
end

---Claims turns, in a task beside that of the verbs, which ends with it.
---@return bide.Waker ended called with whether that is done
local function begin_poll(worker, now)
  local ended = core.task.waker()
  core.task.start(function() return calls.poll(worker, now) end, function(_, how, result)
    if how == "raised" then worker.fault = worker.fault or { result } end
    ended(how == "returned" and result)
  end, nil, nil, "unlimited")
  return ended
end

---Calls the verbs that are due. After a lost connection, what is held is compared before anything is written or claimed. What
---was decided is sent before the claims, and they do not wait for each other: attempts begin meanwhile.
---@return boolean done
local function call_verbs(worker, now)
  if not worker.me and not calls.enter(worker) then return false end
  if worker.served ~= worker.me and not calls.serve(worker) then return false end
  if loop.update() >= worker.sure_until then return false end -- a beat comes first
  if (worker.must_sync or now >= worker.sync_at) and not calls.sync(worker) then return false end
  local may_poll = not worker.is_stopped and held_turns.room_once_written(worker) > 0 and now >= worker.poll_at
  local polled = may_poll and begin_poll(worker, now)
  local is_written = calls.flush(worker)
  return (not polled or core.task.pause(polled)) and is_written
end

---Returns when the next verb is due. A worker that is not sure of its lease waits for a beat, which wakes it; one whose hands
---are heavy looks again soon, since only a collection may free them.
local function next_time(worker, now)
  if worker.try_at then return worker.try_at end
  if worker.me and now >= worker.sure_until then return now + UNSURE end
  if held_turns.must_write(worker) then return now end
  local at = math.min(held_turns.room(worker) > 0 and worker.poll_at or held_turns.is_heavy(worker) and now + FLUSH or math.huge,
    worker.sync_at)
  if #worker.results + #worker.outcomes > 0 then at = math.min(at, now + FLUSH) end
  return at
end

---Sleeps until a verb is due; a callback may end that earlier.
local function sleep(worker, at)
  local waker = core.task.waker()
  local alarm <close> = loop.alarm(waker)
  alarm:start(at)
  worker.waker = waker
  core.task.pause(waker)
  worker.waker = nil
end

---Sleeps until results are to be written: a while after the first of them, or now.
local function sleep_until_due(worker)
  local now = loop.update()
  local at = math.max(next_time(worker, now), now)
  while not worker.is_stopped and not worker.fault and loop.update() < at do
    sleep(worker, at)
    if held_turns.must_write(worker) or worker.must_sync or not worker.me then return end
    if #worker.results + #worker.outcomes > 0 then at = math.min(at, loop.update() + FLUSH) end
  end
end

---Reports whether an attempt is under way.
local function has_attempts(worker)
  for _, turn in pairs(worker.turns) do
    if turn.wait and turn.wait.task then return true end
  end
  return false
end

---Lets running attempts end while there is time for it, and gives everything back, if the store answers in time.
local function leave(worker)
  local deadline = loop.update() + (worker.options.drain or 0)
  while worker.me and has_attempts(worker) and loop.update() < deadline do sleep(worker, loop.update() + FLUSH) end
  local waker, me = core.task.waker(), worker.me
  local function give_back()
    while worker.me and #worker.results + #worker.outcomes > 0 and calls.flush(worker) do end
    held_turns.drop_all(worker)
    if me then worker.store:leave(me) end
  end
  core.task.start(give_back, function() waker() end, loop.update() + GIVE_BACK, nil, "unlimited")
  core.task.pause(waker)
  held_turns.drop_all(worker)
  worker.lease_alarm:stop()
end

---Calls verbs until the worker is stopped.
local function serve(worker)
  while not worker.is_stopped and not worker.fault do
    local now = loop.update()
    worker.try_at = nil
    local is_done = call_verbs(worker, now)
    if is_done then held_turns.on_success(worker) end
    sleep_until_due(worker)
  end
end

---Begins to serve, in a task of its own, so that a verb without an answer holds no worker that is stopped.
---@return bide.Waker ended
local function begin_serving(worker)
  local ended = core.task.waker()
  local serving = core.task.start(serve, function(_, how, fault)
    if how == "raised" then worker.fault = worker.fault or { fault } end
    ended()
  end, nil, worker, "unlimited")
  worker.last_verb = loop.alarm(function() serving:cancel() end)
  if worker.is_stopped then worker.last_verb:start(loop.update() + LAST_VERB) end
  return ended
end

---Lets the worker end: run returns once everything is given back.
function Worker:stop()
  if not self.is_stopped and self.last_verb then self.last_verb:start(loop.update() + LAST_VERB) end
  self.is_stopped = true
  held_turns.wake(self)
end

---Works until it is stopped, in a task.
function Worker:run()
  local ended = begin_serving(self) -- first: the accident of a process is written before its turns are released
  local beside = {}
  for _, duty in ipairs { duties.keep_lease, duties.look_after_others, calls.begin_claimed, garbage.collect } do
    beside[#beside + 1] = start(self, duty)
  end
  for _, helper in ipairs(self.helpers) do
    beside[#beside + 1] = start(self, function() helper:run() end)
  end
  if self.options.metrics then beside[#beside + 1] = start(self, duties.measure_lag) end
  core.task.pause(ended)
  self.last_verb:stop()
  leave(self)
  for _, one in ipairs(beside) do one:cancel() end
  if self.fault then error(self.fault[1], 0) end
end

---Makes a worker, which has not begun.
---@param store bide.Store
---@param options bide.WorkerOptions
---@return bide.Worker
function M.new(store, options)
  local now = loop.update()
  local worker = setmetatable({
    store = store, options = options, turns = {}, held = 0, bytes = 0, kept = 0, over = 0, results = {}, outcomes = {},
    decided = 0, garbage = 0, sending = {}, claimed = {}, definitions = {}, helpers = {}, clock = clocks.new(), sure_until = now,
    rest = core.limits.used(), used = core.limits.used(),
    must_sync = false, is_stopped = false, fault = false, begun = 0, ended = 0, doubts = 0, made = 0,
    polls = 0, firsts = {}, barred = {}, unanswered = {},
    sweep_at = now, poll_at = now, sync_at = now,
    metrics = options.metrics or metrics.new(options.queues),
  }, Worker)
  worker.lease_alarm = loop.alarm(held_turns.is_sure, worker)
  worker.gate = gates.new(options.jobs, held_turns.is_sure, held_turns.is_written, held_turns.room_to_decide, worker)
  return worker
end

return M
