---A worker of a store: claims turns, makes their attempts, and writes what they decided, until it is stopped.
---
---Attempts begin and end in callbacks, which may not wait. One task claims turns and writes what was decided: it sleeps until
---a verb is due or a callback wakes it. Two more beat and reap, on the store's second connection, so that a slow claim delays
---no beat. A worker whose beats have had no answer for half of its lease begins nothing and cuts what is in flight, since
---others may soon take its turns.

local attempts = require "bide.record.attempt"
local await = require "bide.task.await"
local core = require "bide.core"
local duration = require "bide.text.duration"
local gates = require "bide.record.worker.gate"
local luv = require "luv"
local metrics = require "bide.record.metrics"
local outcome = require "bide.wait.outcome"
local recorded = require "bide.record.recorded"
local retries = require "bide.task.retries"
local script_error = require "bide.text.script_error"
local secret = require "bide.text.secret"
local shown = require "bide.text.shown"
local states = require "bide.record.store.state"
local verbs = require "bide.record.store.verbs"
local waiters = require "bide.wait.waiter"

local json, loop, service = core.json, core.loop, core.service

local M = {}

---In milliseconds: between two polls of a queue, and two looks for dead workers; before results are written; between two
---comparisons of what is held; between two times of maintenance; before a verb that failed is tried again; for the verbs by
---which a worker that ends gives back.
local POLL, REAP, FLUSH, SYNC, MAINTAIN, AGAIN, GIVE_BACK = 200, 1000, 50, 60000, 3600000, 500, 800

---The beats within a lease, and the most milliseconds between two of them, by which a cancelled wait is cut.
local BEATS, LONGEST_BEAT = 5, 1000

---In milliseconds: between two questions for how late a queue is, which only metrics need.
local LAG = 5000

---In milliseconds: the time by which turns that are claimed between two sweeps may be overdue, and between two sweeps.
local BACK, SWEEP = 500, 5000

---The turns that are kept, for each that may be held otherwise; and the milliseconds for which a turn is kept at a stretch.
local MOST_KEPT, LONGEST_KEPT = 4, 30000

---In milliseconds: a kept turn's output is written at most this often.
local OUTPUT = 1000

---The order in which lanes are asked: the high one 8 times, the normal one 4 times, the low one once.
local lanes = { 1, 1, 2, 1, 1, 2, 1, 3, 1, 2, 1, 1, 2 }

---A waiter with its limits, as a definition of the store describes it.
---@class bide.worker.Definition
---@field waiter bide.Waiter
---@field limits bide.Limits
---@field bundle integer

---A turn in hand.
---@class bide.worker.Turn : bide.store.Turn
---@field prepared bide.PreparedWait?
---@field call? fun(): any what its operation has prepared, for all attempts of this claim
---@field queue string
---@field wait bide.Wait? while it sleeps before its attempt, or makes it
---@field last bide.store.State
---@field written integer the attempts that the store has, as far as this worker knows
---@field kept_since integer? when it was kept first
---@field output_at integer when its output was last written

---@class bide.WorkerOptions
---@field name string
---@field queues { name: string, weight: integer }[]
---@field jobs integer how many turns are held at a time
---@field version string
---@field kind "sandboxed"|"trusted"
---@field read fun(found: bide.store.Definition.Found): bide.worker.Definition?, string? checks the files of its bundle
---@field metrics bide.Metrics? which somebody reads
---@field drain integer? milliseconds for which running attempts may end after it was stopped

---@class bide.Worker
---@field store bide.Store
---@field options bide.WorkerOptions
---@field served bide.store.Worker? the one under whose id the supervisor knows this process
---@field me bide.store.Worker? nil until it has entered, and once the store does not know it any more
---@field hand table<integer, bide.worker.Turn>
---@field held integer how many are in hand
---@field kept integer how many of them are kept between two attempts
---@field gate bide.worker.Gate
---@field helpers { run: fun(self: any) }[] what attempts share with those of other workers, such as the pace of requests
---@field results bide.store.Result[] to be settled, in the order in which they came
---@field outcomes bide.store.Outcome[] to be finished
---@field definitions table<integer, bide.worker.Definition|string|false> or why it cannot be run; false: its bundle is refused
---@field clocks { least: integer, most: integer } the bounds of the store's clock less that of the loop, in microseconds
---@field sure_until integer on the loop's clock: half a lease after the last beat that was answered was sent
---@field must_sync boolean whether what is held may differ from what the store knows
---@field made integer the number of attempts that were written
---@field metrics bide.Metrics
local Worker = {}
Worker.__index = Worker

---Returns the time on the store's clock.
function Worker:clock()
  return (self.clocks.least + self.clocks.most) // 2 + loop.update() * 1000
end

---Returns a time of the store's clock on that of the loop.
---@param at integer microseconds
---@return integer milliseconds
function Worker:time_of(at)
  return (at - (self.clocks.least + self.clocks.most) // 2) // 1000
end

---Notes what the store's clock was between two times of the loop. A clock that was set is outside of the bounds of before.
---@param clock integer
---@param before integer
function Worker:note_clock(clock, before)
  local least, most = clock - loop.update() * 1000, clock - before * 1000
  local known = self.clocks
  local is_same = least <= known.most and most >= known.least
  if is_same then least, most = math.max(least, known.least), math.min(most, known.most) end
  self.clocks = { least = least, most = most }
end

---Lets the task of the verbs continue.
local function wake(worker)
  local waker = worker.waker
  worker.waker = nil
  if waker then waker() end
end

---Ends what a turn does in this process.
---@param worker bide.Worker
---@param turn bide.worker.Turn
local function quiet(worker, turn)
  if turn.kept_since then turn.kept_since, worker.kept = nil, worker.kept - 1 end
  if not turn.wait then return end
  worker.gate:withdraw(turn.wait)
  turn.wait:abandon()
  turn.wait = nil
end

---Drops a turn: what it decides from now on does not count.
---@param worker bide.Worker
---@param turn bide.worker.Turn
local function drop(worker, turn)
  if worker.hand[turn.id] ~= turn then return end
  worker.hand[turn.id], worker.held = nil, worker.held - 1
  quiet(worker, turn)
end

local function drop_all(worker)
  for _, turn in pairs(worker.hand) do drop(worker, turn) end
end

---Cuts what is in flight. What was decided stays in hand, to be written once the store answers; nothing is kept.
local function cut(worker)
  local is_decided = {}
  for _, list in ipairs { worker.results, worker.outcomes, worker.sending } do
    for _, one in ipairs(list) do is_decided[one.id], one.keep = true, nil end
  end
  for id, turn in pairs(worker.hand) do
    if is_decided[id] then
      quiet(worker, turn)
      turn.is_over, turn.is_kept = true, nil
    else
      drop(worker, turn)
    end
  end
  worker.must_sync = true
end

---Reports whether attempts may begin; cuts what is in flight if the lease may be over soon.
---@return boolean
local function is_sure(worker)
  if worker.me and loop.update() < worker.sure_until then return true end
  cut(worker)
  return false
end

---Notes that a beat was answered, which was sent at that time.
local function renew(worker, sent)
  worker.sure_until = sent + worker.store.lease // 2000
  worker.lease_alarm:start(worker.sure_until)
end

---Forgets everything, since the store does not know this worker any more: it enters anew.
local function expire_worker(worker, me)
  if worker.me ~= me then return end
  worker.metrics:count "expired"
  drop_all(worker)
  worker.results, worker.outcomes, worker.me = {}, {}, nil
  worker.lease_alarm:stop()
  wake(worker)
end

-- ---- what attempts decide ------------------------------------------------------------------------

---@param turn bide.worker.Turn
---@param record table
---@param made integer of its attempts
---@param entry? string JSON
local function finish(worker, turn, record, made, entry)
  record.history, record.omitted = nil, nil
  table.insert(worker.outcomes, {
    id = turn.id, attempts = made, outcome = recorded.encode(record), state = record.state, entry = entry,
  })
  turn.wait, turn.is_over = nil, true
  wake(worker)
end

---Ends a turn with a mistake of the recipe, or of its rows.
---@param turn bide.worker.Turn
---@param waiter string
---@param message string
local function fail(worker, turn, waiter, message)
  local input = json.read(turn.input or "")
  finish(worker, turn, {
    waiter = waiter, state = "failure", reason = "scriptError", message = secret.any():text(message),
    attempts = turn.attempts, elapsed = 0, maxWait = 0, input = input and json.read(turn.input) or json.document {},
  }, turn.attempts)
end

---Returns a text to be written in the place of an earlier one: nil if it is the same, false if there is none now.
---@return string|false|nil
local function change(before, now)
  if before == now then return nil end
  return now or false
end

---Returns the document of a wait as JSON without its secrets; nil if there is none, or if it is too large to be written
---after each attempt.
local function text_of(document, mask)
  local text = document and assert(json.encode(document, { redact = mask }))
  return text and #text <= verbs.most.output and text or nil
end

---Adds to a result what has changed of the output and the error.
---@param turn bide.worker.Turn
---@param result bide.store.Result
local function add_answers(turn, wait, result, mask)
  local is_due = not result.keep or loop.now() - turn.output_at >= OUTPUT
  if not is_due then return end
  local output, failure = text_of(wait.output, mask), text_of(wait.error or nil, mask)
  result.output, result.error = change(turn.output, output), change(turn.error, failure)
  turn.output, turn.error, turn.output_at = output, failure, loop.now()
end

---@return string JSON
local function entry_text(entry, note, mask)
  entry.note = retries.join(note, entry.note)
  return assert(json.encode(entry, { redact = mask }))
end

local begin

---Reports whether a turn stays in hand until its next attempt.
---@param turn bide.worker.Turn
---@param delay integer until then
---@return boolean
local function may_keep(worker, turn, delay)
  if delay * 1000 >= worker.store.ahead or worker.is_stopped then return false end
  if not turn.kept_since then return worker.kept < MOST_KEPT * worker.options.jobs end
  return loop.now() + delay - turn.kept_since <= LONGEST_KEPT
end

---Counts an attempt that was made, and by how much it began after the turn was due.
---@param turn bide.worker.Turn
---@param entry table
---@param result bide.metrics.Result
local function count(worker, turn, entry, result)
  local began = turn.deadline - turn.prepared.limits.max_wait * 1000
  worker.metrics:count_attempt(turn.queue, result, entry.at - (turn.due - began) / 1e6)
end

---Notes an attempt that another one follows, and keeps the turn if that is near.
---@param turn bide.worker.Turn
local function again(worker, turn, wait, entry, note)
  local delay, mask = duration.of_seconds(entry.delay), secret.of_entry(wait, entry)
  count(worker, turn, entry, "retry")
  turn.last = { record = wait.state:pack(), delay = delay, members = wait:members() }
  turn.attempts, turn.due, turn.wait = wait:made(), worker:clock() + delay * 1000, nil
  turn.seen, turn.failure = wait.output, wait.error or nil
  local result = {
    id = turn.id, attempts = turn.attempts, due = turn.due, format = states.FORMAT, state = states.pack(turn.last),
    entry = entry_text(entry, note, mask), keep = may_keep(worker, turn, delay) or nil,
  }
  add_answers(turn, wait, result, mask)
  table.insert(worker.results, result)
  if result.keep then
    if not turn.kept_since then turn.kept_since, worker.kept = loop.now(), worker.kept + 1 end
    turn.is_kept = true -- its next attempt begins once this callback has returned
    worker.alarm:start(loop.update())
  else
    turn.is_over = true
  end
  wake(worker)
end

---@param turn bide.worker.Turn
local function ended(worker, turn, record, wait, entry, note)
  turn.wait = nil
  if record.reason == "cancelled" then return drop(worker, turn) end -- another worker makes the attempt again
  if entry then count(worker, turn, entry, record.state) end
  local text = entry and entry_text(entry, note, secret.of_entry(wait, entry))
  finish(worker, turn, record, wait:made(), text)
end

---@param turn bide.worker.Turn
---@return bide.Resumption
local function resumption_of(worker, turn)
  local now = worker:clock()
  local began = turn.deadline - turn.prepared.limits.max_wait * 1000
  return {
    state = turn.last.record, elapsed = math.max((now - began) // 1000, 0),
    delay = math.max((turn.due - now + 999) // 1000, 0), attempts = turn.attempts, history = {},
    members = turn.last.members, output = turn.seen, error = turn.failure,
  }
end

---Ends a wait whose deadline was over before its attempt could begin.
---@param turn bide.worker.Turn
local function expire(worker, turn)
  local from = resumption_of(worker, turn)
  from.delay = duration.of_seconds(1e9)
  local wait = turn.prepared:continue(from, function() end)
  wait.elapsed = from.elapsed
  local record = outcome.record(wait, "failure", "maxWait")
  wait:abandon()
  finish(worker, turn, record, turn.attempts)
end

---Begins the next attempt of a turn in hand, which sleeps until it is due.
---@param turn bide.worker.Turn
function begin(worker, turn)
  local prepared = turn.prepared
  prepared.call = prepared.call or turn.call -- a claim prepares once: here is no task that its code could wait in
  turn.call = prepared.call
  if worker:clock() >= turn.deadline then return expire(worker, turn) end
  local late = (worker:clock() - turn.due) // 1000
  turn.wait = attempts.start(prepared, resumption_of(worker, turn), {
    word = "attempt", late_by = turn.attempts > 0 and attempts.overslept(late, turn.last.delay) or nil,
    again = function(wait, entry, note) again(worker, turn, wait, entry, note) end,
    ended = function(record, wait, entry, note) ended(worker, turn, record, wait, entry, note) end,
  })
  if turn.is_over then turn.wait = nil end -- it has ended meanwhile
  if turn.wait then turn.wait.is_alone, turn.wait.turn = turn.strikes > 0 or nil, turn end
end

---Begins the attempts of kept turns.
local function begin_kept(worker)
  if not is_sure(worker) then return end
  for _, turn in pairs(worker.hand) do
    if turn.is_kept and not turn.wait then
      turn.is_kept = nil
      if worker.is_stopped then turn.is_over = true else begin(worker, turn) end
    end
  end
end

-- ---- definitions ---------------------------------------------------------------------------------

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
  worker.definitions[id] = definition or refuse(worker, found, mistake)
  return worker.definitions[id]
end

---Puts the token of a wait into its input.
---@return userdata document
local function input_of(turn, waiter)
  local document = assert(json.read(turn.input))
  if not turn.token or not waiter.token_member then return document end
  local members = document:value()
  members[waiter.token_member] = turn.token
  return assert(json.document(members))
end

---Ends a wait whose code has ended as many workers as may be; what it would do next is not tried, so its recipe is not read.
---@param turn bide.worker.Turn
local function strike_out(worker, turn)
  local found = worker.store:definition(turn.definition)
  if not found then return drop(worker, turn) end
  local reasons = json.decode(turn.error or "")
  if type(reasons) ~= "table" then reasons = {} end
  fail(worker, turn, found.waiter, ("its code ended the worker %d times: %s"):format(turn.strikes, table.concat(reasons, "; ")))
end

---Prepares a turn that was claimed: its waiter, its input and its state.
---@param turn bide.worker.Turn
---@return boolean? ready
local function prepare(worker, turn)
  if turn.strikes >= verbs.STRIKES then return strike_out(worker, turn) end
  local definition = definition_of(worker, turn.definition)
  if not definition then return drop(worker, turn) end
  local mistake = type(definition) == "string" and definition or verbs.mistake_of_turn(turn)
  if mistake then return fail(worker, turn, "?", "the store: " .. mistake) end
  local waiter, limits = definition.waiter, definition.limits
  limits.gate = worker.gate
  local ok, prepared, refusal = pcall(waiters.prepared, waiter, input_of(turn, waiter), limits)
  if not ok then
    script_error.pass_out_of_memory(prepared)
    prepared, refusal = nil, script_error.of(prepared).message
  end
  if not prepared then return fail(worker, turn, waiter.name, refusal) end
  turn.prepared, turn.output_at = prepared, 0
  turn.seen = turn.output and json.read(turn.output) or nil
  turn.failure = turn.error and turn.strikes == 0 and json.read(turn.error) or nil -- else it is the list of their reasons
  if turn.format == 0 then
    turn.last = states.begin(prepared.waiter, limits, turn.seed)
    return true
  end
  turn.last, mistake = states.unpack(prepared.waiter.compiled, turn.state)
  if not turn.last then return fail(worker, turn, waiter.name, "the store: " .. mistake) end
  return true
end

---Prepares a turn and begins its attempt. Rows that cannot be what bide wrote end that wait alone.
---@param turn bide.worker.Turn
local function take(worker, turn)
  core.task.run_for(turn.id) -- it may load the recipe, and calls its `prepare`
  local ok, ready = pcall(prepare, worker, turn)
  core.task.run_for(nil)
  if ok and ready then return begin(worker, turn) end
  if ok then return end
  script_error.pass_out_of_memory(ready)
  fail(worker, turn, "?", "the store: " .. script_error.of(ready).message)
end

-- ---- the verbs -----------------------------------------------------------------------------------

---Handles the failure of a verb. An expired worker drops everything and enters anew; after any other failure, what the
---store knows may differ from what is held.
---@param failure bide.store.Failure
---@param me? bide.store.Worker for which the verb was called
local function on_failure(worker, failure, me)
  if failure.kind == "expired" then return expire_worker(worker, me) end
  worker.try_at, worker.must_sync, worker.metrics.is_up = loop.update() + AGAIN, true, false
  if worker.has_warned then return end
  worker.has_warned = true
  shown.complain(("warning: %s; waits sleep on until it can be reached"):format(failure.message))
end

local function on_success(worker)
  worker.metrics.is_up, worker.metrics.held = true, worker.held
  if not worker.has_warned then return end
  worker.has_warned = nil
  shown.complain(("%s can be reached again"):format(worker.store.url))
end

---Takes results out of a list, of each turn the first.
local function take_firsts(list)
  local firsts, rest, known = {}, {}, {}
  for _, result in ipairs(list) do
    table.insert(known[result.id] and rest or firsts, result)
    known[result.id] = true
  end
  return firsts, rest
end

---Drops the turns whose results were not written: they are of another worker now, or their waits have ended; and those that
---are over.
local function take_answers(worker, sent, written)
  local is_written = {}
  for _, id in ipairs(written) do is_written[id] = true end
  worker.made = worker.made + #written
  worker.metrics:count("doubles_refused", #sent - #written)
  for _, one in ipairs(sent) do
    local turn = worker.hand[one.id]
    if turn and is_written[one.id] then turn.written = one.attempts end
    if turn and (not is_written[one.id] or turn.is_over and turn.attempts <= one.attempts) then drop(worker, turn) end
  end
end

---Writes a list by a verb; after a failure, the list waits again.
---@param name "results"|"outcomes"
---@param sent table[]
---@param rest table[] what remains to be written
---@return boolean done
local function write(worker, verb, name, sent, rest)
  local me = worker.me
  worker[name], worker.sending = rest, sent
  local written, failure = worker.store[verb](worker.store, me, sent)
  worker.sending = {}
  if worker.me ~= me then return false end
  if written then
    take_answers(worker, sent, written)
    return true
  end
  worker[name] = table.move(worker[name], 1, #worker[name], #sent + 1, sent)
  on_failure(worker, failure, me)
  return false
end

---Writes what attempts have decided.
---@return boolean done
local function flush(worker)
  while #worker.results > 0 do
    if not write(worker, "settle", "results", take_firsts(worker.results)) then return false end
  end
  return #worker.outcomes == 0 or write(worker, "finish", "outcomes", worker.outcomes, {})
end

---Returns how many turns may be claimed.
local function room(worker)
  return math.min(worker.options.jobs - (worker.held - worker.kept), verbs.most.turns)
end

---Claims turns of a queue and a lane, and begins their attempts.
---@return boolean done
local function claim(worker, queue, lane, back)
  local want, me, before = room(worker), worker.me, loop.update()
  if want <= 0 then return true end
  local clock, turns = worker.store:claim(me, {
    queue = queue, lane = lane, want = want, ahead = worker.store.ahead, back = back,
  })
  if worker.me ~= me then return false end
  if not clock then
    on_failure(worker, turns, me)
    return false
  end
  worker:note_clock(clock, before)
  for _, turn in ipairs(turns) do
    worker.hand[turn.id], worker.held, turn.written, turn.queue = turn, worker.held + 1, turn.attempts, queue
  end
  for _, turn in ipairs(turns) do
    if worker.hand[turn.id] == turn and is_sure(worker) then take(worker, turn) end
  end
  if #turns == want then worker.is_full = true end
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

---Asks all queues and lanes for turns, until the hands are full.
---@return boolean done
local function poll(worker, now)
  local back = BACK * 1000
  if now >= worker.sweep_at or worker.is_full then back, worker.sweep_at = math.maxinteger, now + SWEEP end
  worker.is_full = nil
  local first = lanes[worker.polls % #lanes + 1]
  for _, queue in ipairs(queues_in_turn(worker)) do
    for _, lane in ipairs { first, first ~= 1 and 1 or 2, first ~= 3 and 3 or 2 } do
      if not is_sure(worker) or not claim(worker, queue, lane, back) then return false end
    end
  end
  worker.polls = worker.polls + 1
  return true
end

---Returns the entries of a list whose turns are in hand.
local function of_held(worker, list)
  local kept = {}
  for _, one in ipairs(list) do
    if worker.hand[one.id] then kept[#kept + 1] = one end
  end
  return kept
end

---Gives back what the store says is claimed and is not in hand, and drops what the store knows otherwise: after a lost
---connection, answers of claims and settles may be lost as well, and after a failover what they did.
---@return boolean done
local function sync(worker)
  local ids, me = {}, worker.me
  for id in pairs(worker.hand) do ids[#ids + 1] = id end
  worker.must_sync = false
  local attempts_of, failure = worker.store:sync(me, ids)
  if worker.me ~= me then return false end
  if not attempts_of then
    on_failure(worker, failure, me)
    return false
  end
  worker.sync_at = loop.update() + SYNC
  for _, id in ipairs(ids) do
    local turn = worker.hand[id]
    if turn and attempts_of[id] ~= turn.written then
      drop(worker, turn)
      worker.must_sync = worker.must_sync or attempts_of[id] ~= nil
    end
  end
  worker.results, worker.outcomes = of_held(worker, worker.results), of_held(worker, worker.outcomes)
  return true
end

---@return boolean done
local function enter(worker)
  local options, sent = worker.options, loop.update()
  local me, failure = worker.store:enter {
    name = options.name, kind = options.kind, version = options.version, host = luv.os_gethostname(),
    pid = math.tointeger(luv.os_getpid()),
    queues = options.queues, slots = options.jobs, formats = { 0, states.FORMAT },
  }
  if not me then
    on_failure(worker, failure)
    return false
  end
  worker.me, worker.definitions, worker.must_sync = me, {}, false
  worker.sync_at = sent + SYNC
  renew(worker, sent)
  return true
end

---Writes how the process before this one ended, so that its turns are free at once, and its wait has a strike.
---@return boolean done
local function report_accident(worker, old, wait, how)
  local me = worker.me
  local struck, failure = worker.store:strike(me, { worker = old, wait = wait, reason = how })
  if worker.me ~= me then return false end
  if struck == nil then
    on_failure(worker, failure, me)
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
---@return boolean done
local function serve(worker)
  local old, wait, how = service.accident()
  if old and not report_accident(worker, old, wait, how) then return false end
  service.serve(worker.me.id)
  worker.served = worker.me
  return true
end

-- ---- beats, and what is done beside ----------------------------------------------------------------

---Renews the lease, and drops what was cancelled.
local function beat(worker)
  local me, sent, held = worker.me, loop.update(), {}
  for id, turn in pairs(worker.hand) do held[id] = { attempts = turn.written } end
  local cancelled, differs = worker.store:beat(me, verbs.held(held))
  if worker.me ~= me then return end
  if not cancelled then return on_failure(worker, differs, me) end
  local was_sure = loop.update() < worker.sure_until
  renew(worker, sent)
  for _, id in ipairs(cancelled) do
    if worker.hand[id] then drop(worker, worker.hand[id]) end
  end
  if differs then worker.must_sync = true end
  if differs or not was_sure then wake(worker) end
end

---Beats as long as the worker is known.
local function keep_lease(worker)
  while true do
    local next_at = loop.update() + math.min(worker.store.lease // 1000 // BEATS, LONGEST_BEAT)
    if worker.me then beat(worker) end
    await(next_at)
  end
end

---Releases the turns of dead workers, and forgets what is no longer retained. What was released is overdue, and found by a
---sweep.
local function look_after_others(worker)
  local maintain_at = loop.update()
  while true do
    local next_at = loop.update() + REAP
    local reaped, failure = worker.store:reap()
    if reaped and reaped.turns > 0 then worker.sweep_at = loop.now() end
    if reaped and loop.now() >= maintain_at then
      maintain_at = loop.now() + MAINTAIN
      reaped, failure = worker.store:maintain()
    end
    if not reaped then on_failure(worker, failure, worker.me) end
    await(next_at)
  end
end

---Asks how late the queues are.
local function measure_lag(worker)
  while true do
    local next_at = loop.update() + LAG
    for _, queue in ipairs(worker.options.queues) do
      worker.metrics.lag[queue.name] = worker.store:lag(queue.name) -- nil if it does not answer
    end
    await(next_at)
  end
end

---Starts a task beside that of the verbs. A mistake in it is raised by the latter.
---@return bide.Task
local function start(worker, f)
  return core.task.start(f, function(_, how, fault)
    if how ~= "raised" then return end
    worker.fault = { fault }
    wake(worker)
  end, nil, worker)
end

-- ---- the task of the verbs -------------------------------------------------------------------------

---Calls the verbs that are due. After a lost connection, what is held is compared before anything is written or claimed.
---@return boolean done
local function call_verbs(worker, now)
  if not worker.me and not enter(worker) then return false end
  if worker.served ~= worker.me and not serve(worker) then return false end
  if loop.update() >= worker.sure_until then return true end -- a beat comes first
  if (worker.must_sync or now >= worker.sync_at) and not sync(worker) then return false end
  return flush(worker) and (worker.is_stopped or room(worker) <= 0 or now < worker.poll_at or poll(worker, now))
end

---Returns when the next verb is due.
local function next_time(worker, now)
  if worker.try_at then return worker.try_at end
  local at = math.min(room(worker) > 0 and worker.poll_at or math.huge, worker.sync_at)
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

---Sleeps until results are to be written: a while after the first of them, or at once if there are many.
local function sleep_until_due(worker)
  local now = loop.update()
  local at = math.max(next_time(worker, now), now)
  while not worker.is_stopped and not worker.fault and loop.update() < at do
    sleep(worker, at)
    local waiting = #worker.results + #worker.outcomes
    if waiting >= verbs.most.turns or worker.must_sync or not worker.me then return end
    at = math.min(at, waiting > 0 and loop.update() + FLUSH or at)
  end
end

---Reports whether an attempt is under way.
local function has_attempts(worker)
  for _, turn in pairs(worker.hand) do
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
    if worker.me then flush(worker) end
    drop_all(worker)
    if me then worker.store:leave(me) end
  end
  core.task.start(give_back, function() waker() end, loop.update() + GIVE_BACK)
  core.task.pause(waker)
  drop_all(worker)
  worker.alarm:stop()
  worker.lease_alarm:stop()
end

---Lets the worker end: run returns once everything is given back.
function Worker:stop()
  self.is_stopped = true
  wake(self)
end

---Works until it is stopped, in a task.
function Worker:run()
  local beside = { start(self, keep_lease), start(self, look_after_others) }
  for _, helper in ipairs(self.helpers) do
    beside[#beside + 1] = start(self, function() helper:run() end)
  end
  if self.options.metrics then beside[#beside + 1] = start(self, measure_lag) end
  while not self.is_stopped and not self.fault do
    local now = loop.update()
    self.try_at = nil
    local is_done = call_verbs(self, now)
    if is_done then on_success(self) end
    if now >= self.poll_at then self.poll_at = self.is_full and now or now + POLL end
    sleep_until_due(self)
  end
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
    store = store, options = options, hand = {}, held = 0, kept = 0, results = {}, outcomes = {}, sending = {}, definitions = {},
    helpers = {},
    clocks = { least = 0, most = 0 }, sure_until = now, must_sync = false, made = 0, polls = 0, sweep_at = now,
    poll_at = now, sync_at = now, metrics = options.metrics or metrics.new(options.queues),
  }, Worker)
  worker.alarm, worker.lease_alarm = loop.alarm(begin_kept, worker), loop.alarm(is_sure, worker)
  worker.gate = gates.new(options.jobs, function() return is_sure(worker) end)
  return worker
end

return M
