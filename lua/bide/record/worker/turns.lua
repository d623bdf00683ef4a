---The attempts of turns in hand, and what they decide. They begin and end in callbacks, which may not wait: what is to be
---written is left for the task of the verbs.

local held_turns = require "bide.record.worker.held_turns"
local Wait = require "bide.wait.run"
local attempts = require "bide.record.attempt"
local core = require "bide.core"
local cut = require "bide.record.worker.cut"
local duration = require "bide.text.duration"
local outcome = require "bide.wait.outcome"
local retries = require "bide.task.retries"
local script_error = require "bide.text.script_error"
local secret = require "bide.text.secret"
local states = require "bide.record.store.state"
local streak = require "bide.recipe.waiter.streak"
local verbs = require "bide.record.store.verbs"

local json, loop, is_operation_error = core.json, core.loop, script_error.is_operation_error

local NEWEST <const>, LATE <const> = states.NEWEST, streak.LATE * 1000
local of_turn <const>, settle_wait <const> = Wait.of_turn, Wait.settle

local M = {}

---The turns that are kept, for each that may be held otherwise; and the milliseconds for which a turn is kept at a stretch.
local MOST_KEPT, LONGEST_KEPT = 4, 30000

---In milliseconds: a kept turn's output is written at most this often.
local OUTPUT = 1000

---@param turn bide.worker.Turn
---@param record table
---@param made integer of its attempts
---@param entry? string JSON
local function finish(worker, turn, record, made, entry)
  record.history, record.omitted = nil, nil
  if turn.filled then record.input = assert(json.read(turn.input)) end -- the names of its secrets
  turn.ending = {
    turn = turn, id = turn.id, attempts = made, outcome = cut.outcome(record), state = record.state, entry = entry,
  }
  held_turns.decide(worker, worker.outcomes, turn.ending)
  held_turns.finish(worker, turn)
  held_turns.wake_to_write(worker)
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
    attempts = math.max(turn.attempts, 0), elapsed = 0, maxWait = 0, input = input and json.read(turn.input) or json.document {},
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

---Adds to a result what has changed of the output and the error.
---@param turn bide.worker.Turn
---@param result bide.record.Result
---@param entry table? of the history
local function add_answers(turn, wait, result, entry)
  if result.keep and loop.now() - (turn.output_at or 0) < OUTPUT then return end
  local mask = entry and secret.of_entry(wait, entry) or secret.of_wait(wait)
  local output, failure = text_of(wait.output, mask), text_of(wait.error, mask)
  result.output, result.error = change(turn.output, output), change(turn.error, failure)
  if not result.keep then return end
  turn.output_at, turn.output, turn.error = loop.now(), output, failure
  turn.seen_output, turn.seen_error = wait.output, wait.error or nil
end

---Returns the entry of an attempt for the history.
---@param turn bide.worker.Turn
---@return string JSON
local function entry_text(turn, wait, entry)
  entry.note = retries.join(turn.note, entry.note)
  return cut.entry(wait, entry)
end

---Reports whether a turn stays in hand until its next attempt, which is near.
---@param turn bide.worker.Turn
---@param delay integer until then
---@return boolean
local function may_keep(worker, turn, delay)
  if worker.is_stopped then return false end
  if not turn.kept_since then return worker.kept < MOST_KEPT * worker.options.jobs end
  return loop.now() + delay - turn.kept_since <= LONGEST_KEPT
end

---Counts an attempt that was made, and by how much it began after the turn was due, for those that read it.
---@param turn bide.worker.Turn
---@param at integer milliseconds after the wait began
---@param result bide.metrics.Result
local function count(worker, turn, wait, at, result)
  local beginning = turn.deadline - wait.limits.max_wait * 1000
  worker.metrics:count_attempt(held_turns.queue_of(worker, turn), result, at / 1000 - (turn.due - beginning) / 1e6)
end

---Adds to a result what few attempts have: an entry of the history, and what has changed of the output and the error.
---@param turn bide.worker.Turn
---@param result bide.record.Result
---@param entry table? of the history
---@param has_changed boolean
local function add_texts(turn, wait, result, entry, has_changed)
  if entry then result.entry = entry_text(turn, wait, entry) end
  if has_changed then add_answers(turn, wait, result, entry) end
  result.bytes = nil
end

---Settles an attempt that another one follows, and keeps the turn if that is near: its wait continues as it is. An attempt that
---saw the same as the one before has the same documents.
---@param options bide.worker.AttemptOptions
---@param wait bide.Wait whose key is the turn
local function settle(options, wait, now, delay, acceptor, failure, note)
  local worker <const>, turn <const> = options.worker, wait.key
  local store <const>, most <const> = worker.store, turn.keeps
  local is_kept <const> = delay * 1000 < store.ahead and may_keep(worker, turn, delay)
  if worker.options.metrics then count(worker, turn, wait, select(2, wait.state:last(now)), "retry") end
  local format <const> = store.writes < NEWEST and store.writes or NEWEST
  local entry = (not most or turn.attempts < most) and wait:entry(now, "retry", acceptor, delay, failure, note) or nil
  local state <const>, made = settle_wait(wait, is_kept, format, now, delay, acceptor, failure, note)
  local due <const> = worker.clock.middle + (now + delay) * 1000
  turn.attempts, turn.due = made, due
  local result <const> = {
    turn = turn, id = turn.id, attempts = made, due = due, format = format, state = state, bytes = #state,
    keep = is_kept or nil,
  }
  local has_changed <const> = wait.output ~= turn.seen_output or (wait.error or nil) ~= turn.seen_error
  if entry or has_changed then add_texts(turn, wait, result, entry, has_changed) end
  held_turns.decide(worker, worker.results, result)
  if not is_kept then
    held_turns.finish(worker, turn)
  else
    if not turn.kept_since then turn.kept_since, worker.kept = loop.now(), worker.kept + 1 end
    if turn.note then turn.note = nil end
  end
  if worker.waker then held_turns.wake_to_write(worker) end
end

---@param options bide.worker.AttemptOptions
---@param wait bide.Wait
---@param record table
local function ended(options, wait, record)
  local worker, turn = options.worker, wait.key
  turn.wait = nil
  if record.reason == "cancelled" then return held_turns.drop(worker, turn) end -- another worker makes the attempt again
  local made, entry = wait:made(), turn.entry
  if entry and worker.options.metrics then count(worker, turn, wait, duration.of_seconds(entry.at), record.state) end
  local is_kept = entry and verbs.keeps_entry(turn.keeps, made, true)
  finish(worker, turn, record, made, is_kept and entry_text(turn, wait, entry) or nil)
end

---Makes the common part of the attempts of a definition whose waits have the same variant of its waiter.
---@param worker bide.Worker
---@param definition bide.worker.Definition
---@param variant bide.Waiter
---@return bide.WaitKind
local function new_kind(worker, definition, variant)
  ---@class bide.worker.AttemptOptions : bide.AttemptOptions
  ---@field worker bide.Worker
  local options = { word = "attempt", again = settle, ended = ended, worker = worker }
  local kind = attempts.kind(variant, definition.limits, options)
  kind.has_turns, definition.kinds[variant] = true, kind
  return kind
end

---Ends a wait whose deadline was over before its attempt could begin.
---@param turn bide.worker.Turn
---@param wait bide.Wait
---@param now integer
local function expire(worker, turn, wait, now)
  wait.elapsed = now - wait.state:started()
  local record = outcome.record(wait, "failure", "maxWait")
  wait:abandon()
  finish(worker, turn, record, turn.attempts)
end

---Begins the wait of a turn that was claimed, which sleeps until its next attempt is due.
---@param worker bide.Worker
---@param turn bide.worker.Turn
---@param definition bide.worker.Definition
---@param variant bide.Waiter
---@param input userdata complete
---@param call? fun(): any
function M.begin(worker, turn, definition, variant, input, call)
  local now <const>, ahead <const>, limits <const> = loop.update(), worker.clock.middle, definition.limits
  local kind <const> = definition.kinds[variant] or new_kind(worker, definition, variant)
  local failure = turn.seen_error
  if failure and turn.strikes then failure = nil end -- it is the list of their reasons
  if failure and not is_operation_error(failure:value()) then
    return M.fail(worker, turn, variant.name, "the store: error: expected an operation error")
  end
  local seed <const> = turn.format == 0 and (limits.seed or verbs.seed(turn.seed)) or 0
  local wait <const>, delay = of_turn(kind, turn, input, turn.seen_output, failure, now, ahead, seed, call)
  if not wait then return M.fail(worker, turn, variant.name, "the store: " .. delay) end
  local clock <const> = now * 1000 + ahead
  if clock >= turn.deadline then return expire(worker, turn, wait, now) end
  turn.wait = wait
  if clock - turn.due > LATE and turn.attempts > 0 then
    turn.late_by = streak.overslept((clock - turn.due) // 1000, delay --[[@as integer]])
    kind.observer:started(wait)
  end
  if turn.strikes then wait.is_alone = true end
end

return M
