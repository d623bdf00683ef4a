---The attempts of turns in hand, and what they decide. They begin and end in callbacks, which may not wait: what is to be
---written is left for the task of the verbs.

local attempts = require "bide.record.attempt"
local core = require "bide.core"
local cut = require "bide.record.worker.cut"
local duration = require "bide.text.duration"
local hand = require "bide.record.worker.hand"
local outcome = require "bide.wait.outcome"
local retries = require "bide.task.retries"
local secret = require "bide.text.secret"
local states = require "bide.record.store.state"
local verbs = require "bide.record.store.verbs"

local json, loop = core.json, core.loop

local M = {}

---The turns that are kept, for each that may be held otherwise; and the milliseconds for which a turn is kept at a stretch.
local MOST_KEPT, LONGEST_KEPT = 4, 30000

---In milliseconds: a kept turn's output is written at most this often.
local OUTPUT = 1000

---The mistake of a state that the core does not read.
local BROKEN <const> = "its state is broken, or of another version"

---@param turn bide.worker.Turn
---@param record table
---@param made integer of its attempts
---@param entry? string JSON
local function finish(worker, turn, record, made, entry)
  record.history, record.omitted = nil, nil
  if turn.filled then record.input = assert(json.read(turn.input)) end -- the names of its secrets
  turn.wait, turn.ending = nil, {
    turn = turn, id = turn.id, attempts = made, outcome = cut.outcome(record), state = record.state, entry = entry,
  }
  hand.decide(worker, worker.outcomes, turn.ending)
  hand.finish(worker, turn)
  hand.wake_to_write(worker)
end

---Ends a turn with a mistake of the recipe, or of its rows.
---@param worker bide.Worker
---@param turn bide.worker.Turn
---@param waiter string
---@param message string
function M.fail(worker, turn, waiter, message)
  local input = json.read(turn.input or "")
  finish(worker, turn, {
    waiter = waiter, state = "failure", reason = "scriptError", message = secret.any():text(message),
    attempts = turn.attempts, elapsed = 0, maxWait = 0, input = input and json.read(turn.input) or json.document {},
  }, turn.attempts)
end

---Returns a text to be written in the place of an earlier one: nil if it is the same, an empty one if there is none now.
---@return string?
local function change(before, now)
  if before == now then return nil end
  return now or ""
end

---Returns a document of a wait as JSON without its secrets; nil if there is none, or if it is too large to be written after
---each attempt.
---@param mask bide.SecretMask
local function text_of(document, mask)
  local text = document and assert(json.encode(document, { redact = mask }))
  return text and #text <= verbs.most.output and text or nil
end

---Adds to a result what has changed of the output and the error. An attempt that saw the same as the one before has the same
---documents.
---@param turn bide.worker.Turn
---@param result bide.store.Result
---@param entry table? of the history
local function add_answers(turn, wait, result, entry)
  if wait.output == turn.seen_output and (wait.error or nil) == turn.seen_error then return end
  if result.keep and loop.now() - turn.output_at < OUTPUT then return end
  turn.output_at = loop.now()
  local mask = entry and secret.of_entry(wait, entry) or secret.of_wait(wait)
  local output, failure = text_of(wait.output, mask), text_of(wait.error, mask)
  result.output, result.error = change(turn.output, output), change(turn.error, failure)
  turn.output, turn.error = output, failure
  turn.seen_output, turn.seen_error = wait.output, wait.error or nil
end

---Returns the entry of an attempt for the history.
---@param turn bide.worker.Turn
---@return string JSON
local function entry_text(turn, wait, entry)
  entry.note = retries.join(turn.note, entry.note)
  return cut.entry(wait, entry)
end

---Reports whether a turn stays in hand until its next attempt.
---@param turn bide.worker.Turn
---@param delay integer until then
---@return boolean
local function may_keep(worker, turn, delay)
  if delay * 1000 >= worker.store.ahead or worker.is_stopped then return false end
  if not turn.kept_since then return worker.kept < MOST_KEPT * worker.options.jobs end
  return loop.now() + delay - turn.kept_since <= LONGEST_KEPT
end

---Returns the time at which a wait began.
---@param turn bide.worker.Turn
---@param limits bide.Limits
---@return integer microseconds of the store's clock
local function beginning_of(turn, limits)
  return turn.deadline - limits.max_wait * 1000
end

---Counts an attempt that was made, and by how much it began after the turn was due, if somebody reads that.
---@param turn bide.worker.Turn
---@param at integer milliseconds after the wait began
---@param result bide.metrics.Result
local function count(worker, turn, wait, at, result)
  if not worker.options.metrics then return end
  worker.metrics:count_attempt(turn.queue, result, at / 1000 - (turn.due - beginning_of(turn, wait.limits)) / 1e6)
end

---Notes an attempt that another one follows, and keeps the turn if that is near: its wait continues as it is.
---@param options bide.worker.AttemptOptions
---@param turn bide.worker.Turn
---@return boolean kept
local function again(options, turn, wait, now, delay, acceptor, failure, note)
  local worker, made, at = options.worker, wait.state:last(now)
  count(worker, turn, wait, at, "retry")
  local writes <const> = worker.store.writes
  local format <const> = writes < states.NEWEST and writes or states.NEWEST
  local is_kept = may_keep(worker, turn, delay)
  turn.attempts, turn.due = made, worker.clock:now() + delay * 1000
  local entry = verbs.keeps_entry(turn.keeps, made, false) and wait:entry(now, "retry", acceptor, delay, failure, note) or nil
  local result = {
    turn = turn, id = turn.id, attempts = turn.attempts, due = turn.due, format = format,
    state = wait:pack(format, delay),
    entry = entry and entry_text(turn, wait, entry), keep = is_kept or nil,
  }
  add_answers(turn, wait, result, entry)
  hand.decide(worker, worker.results, result)
  if not is_kept then
    turn.wait = nil
    hand.finish(worker, turn)
  elseif not turn.kept_since then
    turn.kept_since, worker.kept = loop.now(), worker.kept + 1
  end
  hand.wake_to_write(worker)
  return is_kept
end

---@param options bide.worker.AttemptOptions
---@param turn bide.worker.Turn
local function ended(options, turn, record, wait)
  local worker = options.worker
  turn.wait = nil
  if record.reason == "cancelled" then return hand.drop(worker, turn) end -- another worker makes the attempt again
  local made, entry = wait:made(), turn.entry
  if entry then count(worker, turn, wait, duration.of_seconds(entry.at), record.state) end
  local is_kept = entry and verbs.keeps_entry(turn.keeps, made, true)
  finish(worker, turn, record, made, is_kept and entry_text(turn, wait, entry) or nil)
end

---Returns the common part of the attempts of a definition whose waits have the same variant of its waiter.
---@param worker bide.Worker
---@param definition bide.worker.Definition
---@param prepared bide.PreparedWait
---@return bide.WaitKind
local function kind_of(worker, definition, prepared)
  local kind = definition.kinds[prepared.waiter]
  if not kind then
    ---@class bide.worker.AttemptOptions : bide.AttemptOptions
    ---@field worker bide.Worker
    local options = { word = "attempt", again = again, ended = ended, worker = worker }
    kind = attempts.kind(prepared, options)
    kind.has_turns, definition.kinds[prepared.waiter] = true, kind
  end
  return kind
end

---Ends a wait whose state cannot be what bide wrote.
---@param turn bide.worker.Turn
---@param prepared bide.PreparedWait
---@param mistake string
local function refuse(worker, turn, prepared, mistake)
  M.fail(worker, turn, prepared.waiter.name, "the store: " .. mistake)
end

---Ends a wait whose deadline was over before its attempt could begin.
---@param turn bide.worker.Turn
---@param prepared bide.PreparedWait
---@param from bide.Resumption
local function expire(worker, turn, prepared, from)
  from.delay = duration.of_seconds(1e9)
  local wait <const> = prepared:continue_as(prepared:kind(function() end), nil, from)
  if not wait then return refuse(worker, turn, prepared, BROKEN) end
  wait.elapsed = from.elapsed
  local record = outcome.record(wait, "failure", "maxWait")
  wait:abandon()
  finish(worker, turn, record, turn.attempts)
end

---Begins the wait of a turn that was claimed, which sleeps until its next attempt is due.
---@param worker bide.Worker
---@param turn bide.worker.Turn
---@param definition bide.worker.Definition
---@param prepared bide.PreparedWait
---@param from bide.Resumption whose delay is the one before the next attempt
function M.begin(worker, turn, definition, prepared, from)
  local now, delay = worker.clock:now(), from.delay
  local elapsed, left = (now - beginning_of(turn, prepared.limits)) // 1000, (turn.due - now + 999) // 1000
  from.elapsed, from.delay = elapsed > 0 and elapsed or 0, left > 0 and left or 0
  if now >= turn.deadline then return expire(worker, turn, prepared, from) end
  turn.late_by = turn.attempts > 0 and attempts.overslept((now - turn.due) // 1000, delay) or nil
  turn.output_at = 0
  local wait <const> = prepared:continue_as(kind_of(worker, definition, prepared), turn, from)
  if not wait then return refuse(worker, turn, prepared, BROKEN) end
  if turn.is_over then return end -- it has ended meanwhile
  turn.wait = wait
  if turn.strikes > 0 then wait.is_alone = true end
  if wait:made() == turn.attempts then return end
  wait:abandon() -- what it decides would never be written
  refuse(worker, turn, prepared, "its state is that of another attempt")
end

return M
