---Runs one wait, from its first attempt to its end. C decides; this module calls the operation, observes and sleeps. A
---sleeping wait is a small table and a state, which contains its alarm and its history; it borrows a coroutine only for
---the duration of an attempt.

local answer_functions = require "bide.recipe.expression.answer_functions"
local begun = require "bide.wait.begun"
local core = require "bide.core"
local descriptors = require "bide.task.descriptors"
local doubtful = require "bide.wait.doubtful"
local duration = require "bide.text.duration"
local events = require "bide.wait.events"
local own_matcher = require "bide.text.own_matcher"
local policy = require "bide.probe.http.policy"
local operation = require "bide.probe.asking.operation"
local outcome = require "bide.wait.outcome"
local path = require "bide.wait.expect.path"
local script_error = require "bide.text.script_error"
local streak = require "bide.recipe.waiter.streak"
local retries = require "bide.task.retries"

local loaded = package.loaded
local loop, task, call_operation = core.loop, core.task, operation.call

---@class bide.Wait : bide.WaitKind
---@field input userdata a document
---@field key any by which the caller identifies it
---@field state bide.WaitState
---@field output userdata? the last one seen
---@field error userdata|false|nil the last operation error as a document, if it came after the last output
---@field has_more boolean whether an attempt has left more than an output: the error, unread, doubt, whys, wish or note
---@field unread string? the reason why that output has no members although there was an answer
---@field doubt string? the reason why conditions that hold do not count
---@field memory table? what its matchers keep
---@field before userdata? the last output that an earlier process has seen
---@field whys table? by matcher and in their order, why matchers did not match the last attempt
---@field wish integer|false the delay that the service asked for after the last attempt, in milliseconds
---@field lack? string what bide itself lacked for the attempt that was cut
---@field queue? string the line of a rate in which that attempt ended, before it had sent anything
---@field remark? string what the operation said of its state in the last attempt
---@field caution? string what a person has to know of it if it has succeeded
---@field resumed? integer the number of attempts before it was resumed
---@field cause string|false what has ended that had to last as long as the wait
---@field elapsed integer milliseconds, once it has ended
---@field seed? integer of its delays, for an observer that sees all
---@field next_delay? integer of a step: milliseconds until the next attempt
---@field ended_earlier? boolean whether an earlier step has ended it
---@field wakes bide.Wakes? if it has a watch, or was woken
---@field watch bide.Watch|false|nil that it has joined; false if it may not
---@field port bide.wait.Port|false of this machine, which has refused its last attempt
---@field expected integer the number of its events that are still to come, as far as is known
---@field watch_failures integer? how many of its failures are in notes
---@field poll_delay integer? the delay that polling has chosen after the last attempt, where a watch has chosen another one
local Wait = { wake = events.wake, reschedule = events.reschedule }

---Returns the last operation error if it came after the last output.
---@return table?
function Wait:failure()
  return self.error and self.error:value() or nil
end

---Returns the number of attempts that have begun.
---@return integer
function Wait:made()
  return self.state:attempts()
end

---Records what an attempt saw as the last that was seen: mostly an output, and nothing else has to be forgotten. The table
---of a wait has no room for its task and its output at the same time, so this comes after the task, unless matchers of
---scripts ask of it.
function Wait:take_seen(seen)
  self.output = seen.output
  if not (seen.unread or seen.error or seen.retry_after or self.has_more) then return end
  self.unread, self.error, self.whys, self.doubt, self.has_more = seen.unread, seen.error, seen.whys, nil, true
  if seen.retry_after or self.wish then self.wish = seen.retry_after or false end
end

---Makes an attempt, in a borrowed coroutine, which the deadline may cut anywhere. Returns when the operation ended, and
---the decision of the core, with what it saw; only that time if it was past the deadline.
local function attempt(wait)
  local kind = wait.kind
  if kind.policy then policy.set(task.current(), kind.policy) end
  local call = kind.call or wait.state:call()
  local seen =
    call_operation(call, not kind.is_prepared and wait.input, kind.error_names, kind.convert, wait.output,
      kind.of_operation or nil, kind.asks_answer or kind.asks_of_input and wait.asks_answer)
  local script_tasks = loaded["bide.task.script_tasks"] -- nil as long as no script has started a task
  if script_tasks then seen = operation.after_tasks(script_tasks, seen, call, kind.error_names) end
  if retries.are_any then seen = doubtful.judge(wait, seen) end
  local failure = seen.failure
  seen.input = wait.input
  if failure then require("bide.error_class").describe(failure, seen) end
  local now, verdict, acceptor, detail, note = wait.state:decide(seen)
  if not verdict then return now end
  if failure then
    seen.error = operation.error_document(failure, wait.error or kind.latest_error or nil)
    kind.latest_error = seen.error -- very many waits may sleep after the same one
  end
  if verdict == "ask" then
    now, verdict, acceptor, detail, note = require("bide.wait.asking").ask(wait, now, acceptor, note, seen)
  end
  if verdict ~= "success" or not kind.ask_witness then return now, verdict, acceptor, detail, note, seen end
  return require("bide.wait.asking").confirm(wait, now, acceptor, detail, note, seen)
end

---Makes an attempt that a gate has let in, unless that says no by now, and has cut all its waits: the process may have stood
---still in between.
local function attempt_within_gate(wait)
  local gate = wait.kind.gate
  if gate.may_pass and not gate.may_pass(gate.of) then return end
  return attempt(wait)
end

---Ends the wait. One whose deadline is over was decided when the loop noticed that, for all such waits at once, and
---its outcome comes later if there are many.
local function finish(wait, state, reason, acceptor)
  events.leave(wait)
  local decided = wait.state:leave()
  wait.elapsed = (reason == "maxWait" and decided or loop.update()) - wait.state:started()
  wait.ended = true
  local record = outcome.record(wait, state, reason, acceptor)
  if wait.observer then wait.observer:ended(wait, record) end
  wait.done(record, wait)
end

---Lets go of what an attempt saw: the table may be that of the next one.
---@param seen bide.Observation
local function forget(seen)
  seen.output, seen.input = false, false
  if seen.whys then seen.whys = nil end -- to set a member that is not there takes longer than to look
end

---Returns the entry of the last attempt, as the history and events have it.
---@param now integer when it ended
---@param delay integer? milliseconds before the next one
---@return table
function Wait:entry(now, state, acceptor, delay, failure, note)
  local number, at, took = self.state:last(now)
  local entry = {
    attempt = number, at = duration.seconds(at), duration = duration.seconds(took),
    state = state, acceptor = acceptor, error = failure, note = note, delay = delay and duration.seconds(delay),
    woken = self.wakes and self.state:woken() or nil,
  }
  outcome.add_name(self, entry)
  return entry
end

---Reports an attempt to the observer.
---@param seen bide.Observation? unless it is the wait's
local function report(wait, now, state, acceptor, delay, failure, note, seen)
  local kind = wait.kind
  if kind.concluded then
    kind.concluded(kind.observer, wait, now, state, failure, seen)
    if seen then forget(seen) end
  end
  if kind.attempted then kind.attempted(kind.observer, wait, wait:entry(now, state, acceptor, delay, failure, note)) end
end

---Adds the last attempt of the wait to the history.
local function remember(wait, now, state, acceptor, failure, note, seen)
  wait.state:conclude(now, state, acceptor, failure, note)
  if wait.observer then report(wait, now, state, acceptor, nil, failure, note, seen) end
end

---Returns the reason why a path could not be evaluated, without the value, which may be a secret.
local function without_value(note)
  return note and note:gsub("(, not %a+): .*", "%1") or nil
end

---Returns why conditions that hold do not count; nil if the note says something else.
local function doubt_of(note)
  return note and note:match "^no%-member: (.*)$"
end

---Returns why an output has no members that somebody asked for, unless the note of the attempt has it already.
local function blindness_of(wait)
  if not wait.unread or not wait.output or not wait.state:is_blind() then return nil end
  return not (wait.note and wait.note:find(wait.unread, 1, true)) and wait.unread or nil
end

---Returns the note of an entry: what was retried, failed paths, the progress of a hold, tolerated errors.
local function note_of(wait, note, reason)
  local words = wait.has_streaks and reason ~= "unmatchedError" and streak.describe(wait.state) or nil
  local why = retries.join(blindness_of(wait), doubt_of(note) or without_value(note))
  return retries.join(wait.standstill or nil, retries.join(wait.note, retries.join(why, words)))
end

---Handles the end of an attempt without an acceptor. A late answer counts as cut.
local reasons = { returned = "maxWait", cut = "maxWait", cancelled = "cancelled", raised = "scriptError" }

local function conclude_cut(wait, how, result)
  if how == "raised" then
    wait.script_error = script_error.of(result)
    wait.is_fault = script_error.is_fault(result) -- a call into a script has made its errors script errors
  end
  -- a script that kept the loop from turning kept its clock
  local reason = how == "cancelled" and wait.cause and "ended" or reasons[how]
  remember(wait, reason == "maxWait" and wait.state:leave() or loop.update(), nil, nil, nil, wait.note or nil)
  finish(wait, "failure", reason)
end

---Handles the end of an attempt that was decided on: sets the alarm for the next one, or ends the wait.
local function conclude(wait, kind, now, verdict, acceptor, detail, note, seen)
  if verdict == "failure" and detail == "maxWait" and now < wait.state:deadline() and events.lasts(wait) then
    events.wakes_of(wait)
    verdict, detail = "retry", wait.state:deadline() - now
  end
  local has_more, wakes_early, failure = wait.has_more, wait.wakes, nil
  if note then wait.doubt, wait.has_more = doubt_of(note), true end
  if has_more then failure = wait.error or nil end
  if note or has_more or kind.has_streaks then note = note_of(wait, note, detail) end
  if wakes_early and wait.watch then note = retries.join(note, events.trouble_of(wait)) end
  if verdict == "retry" then
    if wakes_early then detail = events.plan(wait, now, detail) end
    if kind.again then
      kind.again(kind.observer, wait, now, detail, acceptor, failure, note)
    else
      wait.state:retry(now, detail, acceptor, failure, note)
      if kind.observer then report(wait, now, "retry", acceptor, detail, failure, note, seen) end
    end
    if kind.watched and wait.watch == nil and not wait.ended then events.join(wait) end
    if kind.hears_ports and (failure or wakes_early) and not wait.ended then events.follow_port(wait, failure) end
  else
    local cause = kind.find_cause and kind.find_cause()
    if cause then
      wait.cause = cause
      if kind.concluded then forget(seen) end
      return conclude_cut(wait, "cancelled")
    end
    local by_limit = detail == "maxWait" or detail == "maxAttempts"
    remember(wait, now, by_limit and "retry" or verdict, acceptor, failure, note, seen)
    finish(wait, verdict, detail, acceptor)
  end
end

---Takes what the operation has reported of its attempt. A remark stays while a later attempt, which is cut, makes none.
local function take_report(wait, how)
  local earlier = wait.remark
  wait.note, wait.lack, wait.queue, wait.remark, wait.caution = retries.of_task(wait.task)
  if how ~= "returned" then wait.remark = wait.remark or earlier end
  if wait.note then wait.has_more = true end
end

local function attempt_ended(wait, how, result, verdict, acceptor, detail, note, seen)
  local kind = wait.kind
  if retries.are_any then take_report(wait, how) end
  wait.task = nil
  if kind.gate then kind.gate:leave() end
  if wait.ended then return end
  if seen then
    if seen.is_plain and not wait.has_more then
      wait.output = seen.output
    else
      wait:take_seen(seen)
    end
    if not kind.concluded then forget(seen) end
  end
  if verdict then return conclude(wait, kind, result, verdict, acceptor, detail, note, seen) end
  return conclude_cut(wait, how, result)
end

---Begins a streak of time again if the process, or the machine, did not run when an attempt was due.
local function notice_standstill(wait)
  local late, delay = wait.state:lateness()
  late = late and streak.overslept(late, delay)
  if not late and not wait.standstill then return end
  wait.standstill = late and streak.begin_again(wait.state, "attempt", late) or false
end

---Begins an attempt, unless the deadline is over, or has come without an event after the last poll. The first attempt
---always runs.
---@param wait bide.Wait
---@param run? fun(wait: bide.Wait) makes it
local function begin_attempt(wait, run)
  local kind, own = wait.kind, wait.wakes
  local number, deadline
  if kind.watched and wait.watch == nil and wait:made() == 0 then events.join_early(wait) end
  if kind.has_streaks then notice_standstill(wait) end
  if not (own and own:has_polled() and loop.now() >= own.deadline) then
    number, deadline = wait.state:begin(true, own and events.begin(wait))
  end
  if not number then
    if kind.gate then kind.gate:leave() end
    return finish(wait, "failure", "maxWait")
  end
  wait.task = task.start(run or attempt, attempt_ended, deadline, wait, "attempt")
  if kind.attempting then kind.attempting(kind.observer, wait) end
end

---Handles the alarm of a wait with a watch, which rings too when the watch may have fallen silent.
local function ring_watched(wait)
  local now = loop.update()
  if wait.watch and not wait.place then
    if events.is_over(wait) then return finish(wait, "failure", "maxWait") end
    if events.due(wait, now) > now then return wait:reschedule() end
  end
  return wait.kind.ring_due(wait)
end

---Begins an attempt after the gate has admitted the wait.
local function go_through(wait)
  wait.state:silence()
  begin_attempt(wait, attempt_within_gate)
end

---Handles the alarm of a wait with a gate: of the next attempt, or of the deadline if it is still in the line before it.
local function ring_at_gate(wait)
  local gate = wait.kind.gate
  if wait.place then
    gate:withdraw(wait)
    return finish(wait, "failure", "maxWait")
  end
  gate:enter(go_through, wait)
  if wait.place then wait.state:ring_at(wait.state:deadline()) end
end

local function has_streaks(beyond, limits)
  return beyond.hold_attempts ~= nil or limits.hold_attempts ~= nil or limits.tolerated_attempts ~= nil
end

---Reports whether a waiter has matchers of bide's own, whose expressions are in the input.
local function has_own_matchers(waiter)
  for _, acceptor in ipairs(waiter.acceptors) do
    if own_matcher.of(acceptor.matcher.lua) then return true end
  end
  return false
end

---The common part of many waits, which each of them finds by its metatable. What is absent there is false, so that looking
---it up ends there.
---@class bide.WaitKind
---@field waiter bide.Waiter
---@field limits bide.Limits
---@field max_wait integer milliseconds
---@field kind bide.WaitKind itself, as its waits find it
---@field core bide.WaitCommon the part of the core
---@field call false|fun(input: any): any false if each wait has one of its own, in its state
---@field is_prepared boolean whether the operation prepares attempts, whose calls take no input
---@field error_names table<string, string>|false
---@field convert false|fun(output: any): any
---@field of_operation bide.OperationWait|false what its operation gets beside the input
---@field ask_witness false|fun(context: bide.MatcherContext): any confirms a success before it counts
---@field has_streaks boolean whether successes have to hold, or errors are tolerated
---@field asks_answer boolean whether expressions may call header(), status() or text(), and outputs have their answers
---@field asks_of_input boolean whether expressions of the input may do so
---@field watched bide.WatchedOperation|false
---@field hears_ports boolean whether the ports of this machine that refuse its attempts are looked at
---@field ring_due fun(wait: bide.Wait) begins an attempt that is due
---@field gate bide.Gate|false
---@field policy bide.SendPolicy|false
---@field ring fun(wait: bide.Wait) handles the alarm
---@field find_cause false|fun(): string? returns what has ended that has to last as long as the waits
---@field done fun(record: table, wait: bide.Wait) called once, with the record of the outcome
---@field observer table|false its started, attempting, attempted, and ended or abandoned are called as a wait continues
---@field latest_error userdata|false the operation error that one of the waits has seen last
---@field is_of_fleet boolean whether a fleet lists its waits
---@field has_turns boolean whether the key of each wait is a turn of a worker
---@field attempting function|false of the observer
---@field attempted function|false of the observer
---@field again function|false of the observer: called in place of both others after an attempt that another one follows; it
---lets the state retry, or ends the wait in this process
---@field concluded function|false of the observer: it gets the time at which an attempt ended, its state, its error, and what
---it saw

---@param waiter bide.Waiter
---@param limits bide.Limits
---@param done fun(record: table, wait: bide.Wait)
---@param observer? table
---@param is_of_fleet? boolean whether a fleet lists its waits
---@return bide.WaitKind
function Wait.new_kind(waiter, limits, done, observer, is_of_fleet)
  local kind = {
    waiter = waiter, limits = limits, max_wait = limits.max_wait, done = done,
    call = waiter.call or false, is_prepared = waiter.new_call ~= nil,
    error_names = waiter.error_names or false, convert = waiter.convert or false,
    of_operation = waiter.of_operation or false, ask_witness = waiter.ask_witness or false,
    has_streaks = has_streaks(waiter.beyond, limits), asks_answer = answer_functions.of_waiter(waiter),
    asks_of_input = has_own_matchers(waiter),
    gate = limits.gate or false, policy = waiter.policy or false, observer = observer or false,
    ended = false, task = false, is_alone = false, error = false, place = false, descriptors = false, has_more = false,
    lack = waiter.lack or false, note = false, unread = false, wish = false, queue = false,
    remark = false, caution = false,
    doubt = false, whys = false, memory = false, before = false, cause = false, find_cause = false, ended_earlier = false,
    concluded = observer and observer.concluded or false, attempting = observer and observer.attempting or false,
    attempted = observer and observer.attempted or false, again = observer and observer.again or false,
    wakes = false, port = false, poll_delay = false, expected = 0, standstill = false,
    latest_error = false, secrets = false, is_of_fleet = is_of_fleet or false, has_turns = false,
    watched = waiter.watched or false, hears_ports = not (waiter.watched or waiter.connect),
    ring_due = limits.gate and ring_at_gate or begin_attempt,
  }
  kind.ring = kind.watched and ring_watched or kind.ring_due
  kind.kind, kind.core, kind.__index = kind, core.wait.kind(waiter.compiled, limits, kind.ring), kind
  kind.__close = descriptors.give
  return setmetatable(kind, { __index = Wait })
end

---The state from which a wait of another process continues.
---@class bide.Resumption
---@field state string? the record of its state; nil before its first attempt
---@field seed integer? of its delays, if it has no record
---@field elapsed integer milliseconds since it began
---@field delay integer? milliseconds until its next attempt, 0 if that is overdue; nil before the first
---@field is_overslept boolean? whether that is so long overdue that a streak that is measured by time begins again
---@field attempts integer? the number of ended attempts, if is_resumed
---@field is_resumed? boolean whether another process began it, and outcomes say so
---@field history bide.Attempt[]? the first and the last of them
---@field output userdata? the last one seen
---@field error userdata? the last operation error, if it came after the last output
---@field members bide.SeenMembers?
---@field is_single boolean? whether the wait may make one attempt in this process and others elsewhere, so that no watch
---runs beside it

---The members that conditions asked for and that outputs had, four sets of 64 bits: of the waiter's conditions, then of the
---input's path. As bytes, they are mostly one text that very many waits share.
---@alias bide.SeenMembers string
local MEMBERS <const> = "<i8i8i8i8"

---The members that a wait has seen when it begins.
---@type bide.SeenMembers
Wait.NO_MEMBERS = MEMBERS:pack(0, 0, 0, 0)

---Returns the record of the state of a wait that begins now.
---@param waiter bide.Waiter
---@param limits bide.Limits
---@return string
function Wait.new_record(waiter, limits)
  return core.wait.kind(waiter.compiled, limits):start(limits.seed or core.wait.random_seed(), loop.update()):save()
end

---Restores which members conditions have asked for and seen; most waits have none.
local function recall_members(wait, asked, had, asked_of_path, had_of_path)
  if asked | had ~= 0 then wait.state:recall_members(asked, had) end
  if asked_of_path | had_of_path ~= 0 then wait.memory = path.recall(asked_of_path, had_of_path) end
end

---Restores the state in which another process left a wait.
---@return bide.Failure? failure if it cannot be read
local function take_up(wait, from, now, call)
  local started, common, state, failure = now - from.elapsed, wait.kind.core
  if from.state then
    state, failure = common:restore(from.state, started, wait, call)
  else
    state = common:start(from.seed, started, wait, call)
  end
  if not state then return failure end
  wait.state = state
  local max_wait = state:deadline() - started
  if max_wait ~= wait.max_wait then wait.max_wait = max_wait end -- what most waits of a kind have is no member of theirs
  if from.error then wait.error, wait.has_more = from.error, true end
  if from.output then
    wait.output, wait.before = from.output, from.output
    wait.state:recall(from.output)
  end
  if from.is_resumed then wait.resumed = from.attempts end
  if from.history then
    for _, entry in ipairs(from.history) do wait.state:remember(entry) end
  end
  if from.members and from.members ~= Wait.NO_MEMBERS then recall_members(wait, MEMBERS:unpack(from.members)) end
  if from.is_overslept then wait.state:oversleep() end
end

---Returns what its conditions have seen so far, for the process that continues the wait.
---@return bide.SeenMembers
function Wait:members()
  local asked, had = self.state:members()
  return MEMBERS:pack(asked, had, path.members(self.memory or nil))
end

---Settles an attempt that another one follows, in this process or in another one, and returns its state for the worker that
---continues it, as that of a turn.
---@param keeps boolean whether the next one is made here; else the wait has ended here
---@param format integer of the record
---@param now integer when the attempt ended
---@param delay integer milliseconds before the next one
---@return string state
---@return integer made the number of attempts
function Wait:settle(keeps, format, now, delay, acceptor, failure, note)
  local state <const> = self.state
  if not keeps then
    self.ended, self.state = true, nil -- it will be that of another wait
    if self.port then self.port:leave(self) end -- no watch runs beside it
  end
  if not self.memory then return state:settle(now, delay, acceptor, failure, note, format, keeps, 0, 0) end
  return state:settle(now, delay, acceptor, failure, note, format, keeps, path.members(self.memory))
end

---Starts a wait of a kind. There may be very many of them: its table has room for the members that most have while they
---sleep, input, key, state and output, and what is false by default is in its kind. That of a wait which makes one attempt
---has room for the others as well: for eight, since a table of nine takes as much as one of sixteen.
---@param kind bide.WaitKind
---@param input userdata a document
---@param key any by which `done` identifies it
---@param from? bide.Resumption
---@param call? fun(): any makes its attempts
---@return bide.Wait? wait
---@return bide.Failure? failure if the state of another process cannot be read
function Wait.of_kind(kind, input, key, from, call)
  local now, limits = loop.update(), kind.limits
  local wait
  if from and from.is_single then
    wait = {
      input = input, key = key, state = nil, output = nil, before = nil, task = nil, ended = nil, descriptors = nil,
    }
  else
    wait = { input = input, key = key, state = nil, output = nil }
  end
  setmetatable(wait, kind)
  if kind.asks_of_input and not kind.asks_answer and answer_functions.may_call(input:json()) then wait.asks_answer = true end
  if from then
    local failure = take_up(wait, from, now, call)
    if failure then return nil, failure end
  else
    local seed = limits.seed or core.wait.random_seed()
    wait.state = kind.core:start(seed, now, wait, call)
    if kind.concluded then wait.seed = seed end
  end
  local first = from and from.delay and math.min(now + from.delay, wait.state:deadline())
    or wait.state:first(limits.initial_delay or 0)
  if wait.observer then wait.observer:started(wait, first) end
  wait.state:ring_at(first)
  if not kind.is_of_fleet then begun.waits[wait] = true end
  if from and from.is_single then
    if kind.watched then wait.watch = false end
  elseif from and from.delay and kind.watched then
    events.join(wait)
  end
  return wait
end

---Continues the wait of a turn of a store, or begins it, for one attempt or some. No watch runs beside it.
---@param kind bide.WaitKind
---@param turn bide.record.Turn that was read
---@param input userdata a document
---@param output userdata? the last one seen
---@param failure userdata? the last operation error, if it came after that
---@param now integer
---@param ahead integer by which the clock of the store is ahead of that of the loop, in microseconds
---@param seed integer of a wait that begins
---@param call? fun(): any makes its attempts
---@return bide.Wait? wait
---@return integer|string delay milliseconds before the next attempt, as it was decided; or what is wrong with the state
function Wait.of_turn(kind, turn, input, output, failure, now, ahead, seed, call)
  local wait, delay, asked, had = kind.core:take_up(turn, kind, input, output, failure, now, ahead, seed, call)
  if not wait then return nil, delay end
  if asked | had ~= 0 then wait.memory = path.recall(asked, had) end
  if kind.asks_of_input and not kind.asks_answer and answer_functions.may_call(input:json()) then wait.asks_answer = true end
  if kind.watched then wait.watch = false end
  return wait, delay
end

---Abandons the wait: frees everything at once, since its outcome is no longer needed.
function Wait:abandon()
  if self.ended then return end
  self.ended = true
  events.leave(self)
  self.state:silence()
  self.state:leave()
  if self.task then self.task:cancel() end
  if self.observer and self.observer.abandoned then self.observer:abandoned(self) end
end

---Cancels the wait at once, during a sleep as well as during a request.
---@param cause? string what has ended that had to last as long as the wait: the wait has then failed
function Wait:cancel(cause)
  if self.ended then return end
  self.cause = cause
  if self.task then return self.task:cancel() end
  self.state:silence()
  if self.gate then self.gate:withdraw(self) end
  finish(self, "failure", cause and "ended" or "cancelled")
end

return Wait
