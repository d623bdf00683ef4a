---One step of a wait: an attempt, for a program that keeps the time between attempts itself. The wait is in a text from one
---step to the next, and in no process.

local attempts = require "bide.record.attempt"
local core = require "bide.core"
local duration = require "bide.text.duration"
local outcome = require "bide.wait.outcome"
local questions = require "bide.record.journal.question"
local reasons = require "bide.wait.reasons"
local retries = require "bide.task.retries"
local secret = require "bide.text.secret"
local shown = require "bide.text.shown"
local sources = require "bide.record.journal.sources"
local states = require "bide.record.step.state"
local streak = require "bide.recipe.waiter.streak"
local waiters = require "bide.wait.waiter"
local Wait = require "bide.wait.run"

local json, loop = core.json, core.loop

local M = {}

---In milliseconds: a step that comes earlier makes no attempt.
local EARLY = 1000

---A step that is about to be made.
---@class bide.OpenStep
---@field prepared bide.PreparedWait
---@field state bide.StepState
---@field is_new boolean whether it begins the wait
---@field key string?
---@field with_output boolean whether the state keeps the last output
---@field wait bide.Wait? once it is made
local Step = {}
Step.__index = Step

-- ---- the state -------------------------------------------------------------------------------

---The digests of waiters, which are made before an attempt loads further modules.
local digest_of = setmetatable({}, { __mode = "k" })

---Returns the digest of the input. An end is that of a service and a folder, too, so that no other one gets it.
---@param has_ended boolean
local function digest_of_input(prepared, has_ended)
  local text = questions.input(prepared) .. (has_ended and "\n" .. questions.surroundings(prepared) or "")
  return require("bide.digest").sha256(text):sub(1, 16)
end

local function digest_of_recipe(waiter)
  digest_of[waiter] = digest_of[waiter] or sources.digest(waiter):sub(1, 16)
  return digest_of[waiter]
end

---Returns what is wrong with a state that is whole: it is of another wait.
---@return string? mistake
local function mistake_of(prepared, state)
  if state.recipe ~= digest_of_recipe(prepared.waiter) then
    return "the recipe, one of its modules, the waiter or a condition is not the one that the wait began with"
  end
  if state.input ~= digest_of_input(prepared, state.ended ~= nil) then
    return state.ended and "the wait has ended, with another input, service or folder"
      or "the input is not the one that the wait began with"
  end
  if state.token and not prepared.is_new_token and state.token ~= prepared.token then
    return "the token is not the one that the wait began with"
  end
  if not core.wait.restore(prepared.waiter.compiled, state.record, 0) then return "it is not of this version of bide" end
  if state.ended and not reasons.can_end(prepared.waiter, state.ended) then return "it is damaged" end
  local fresh = Wait.new_record(prepared.waiter, prepared.limits)
  local option, before, advice =
    questions.differing_limit(questions.numbers_of(state.record), questions.numbers_of(fresh), prepared.limits)
  return option and ("%s: the wait began with %s. %s"):format(option, before, advice)
end

---Lets a wait continue whose last step was made by a clock that is ahead of this one: from now on, this clock counts.
local function follow_clock(state, now)
  if now >= state.last then return end
  shown.warn(("the clock is %s before that of the last step; the time between the steps does not count")
    :format(duration.format(state.last - now)))
  state.first, state.last = math.max(now - (state.last - state.first), 0), now
end

---Returns the state of a wait that begins now.
---@return bide.StepState?
---@return string? mistake
local function begin(prepared)
  prepared:renew()
  if #(prepared.token or "") > states.MOST_TOKEN then
    return nil, ("the token has %d bytes, and a step carries at most %d"):format(#prepared.token, states.MOST_TOKEN)
  end
  local recipe, input = digest_of_recipe(prepared.waiter), digest_of_input(prepared, false)
  local spent = prepared.from
  local record = spent and spent.state or Wait.new_record(prepared.waiter, prepared.limits)
  local first = loop.wall() - (spent and spent.elapsed or 0)
  local at = assert(core.wait.restore(prepared.waiter.compiled, record, 0)):first(prepared.limits.initial_delay or 0)
  return {
    recipe = recipe, input = input, first = first, last = first, delay = at, members = Wait.NO_MEMBERS,
    record = record, token = prepared.token,
  }
end

---Continues the wait of a state.
---@return bide.StepState?
---@return string? mistake
local function resume(prepared, text, key)
  local state, mistake = states.unpack(text, key)
  mistake = mistake or mistake_of(prepared, state)
  if mistake then return nil, mistake end
  prepared:renew(state.token)
  follow_clock(state, loop.wall())
  return state
end

---Reads a state, or begins a wait. Nothing is sent yet.
---@param prepared bide.PreparedWait
---@param text string? the state that the last step gave; nil begins the wait
---@param options bide.StepOptions
---@return bide.OpenStep?
---@return string? mistake
function M.open(prepared, text, options)
  local state, mistake
  if text then
    state, mistake = resume(prepared, text, options.key)
  else
    state, mistake = begin(prepared)
  end
  if not state then return nil, mistake end
  return setmetatable({
    prepared = prepared, state = state, is_new = text == nil, key = options.key,
    with_output = options.withOutput or false,
  }, Step)
end

---Returns the state as it is now.
---@return string
function Step:text()
  return states.pack(self.state, self.key)
end

-- ---- the attempt -----------------------------------------------------------------------------

---@param elapsed integer
---@param delay integer
---@return bide.Resumption
local function resumption_of(state, elapsed, delay)
  local output = state.output and json.read(state.output)
  return {
    state = state.record, elapsed = elapsed, delay = delay, attempts = questions.numbers_of(state.record).attempts,
    is_resumed = true, is_single = true, history = {}, members = state.members, output = output or nil,
  }
end

---Returns the outcome of a wait that has not ended.
local function record_so_far(wait, delay)
  wait.elapsed, wait.next_delay = loop.now() - wait.state:started(), delay
  return outcome.record(wait, "retry")
end

---Puts what the attempt has decided into the state.
---@param step bide.OpenStep
---@param record table
local function keep(step, record)
  local state, wait = step.state, step.wait
  if record.reason == "cancelled" or record.fault then return end -- the next step makes the attempt again
  state.record, state.members = wait.state:save(), wait:members()
  state.last, state.delay = state.first + wait.elapsed, wait.next_delay or 0
  if record.state ~= "retry" then
    state.ended = { state = record.state, reason = record.reason, acceptor = record.acceptor }
    state.input = digest_of_input(step.prepared, true)
  end
  local text = step.with_output and record.output and json.encode(record.output, { redact = secret.of(record) })
  state.output = text and #text <= states.MOST_OUTPUT and text or nil
end

---Marks the outcome as that of a step. The note is one of its attempt.
local function complete(record, note)
  record.partial, record.omitted = true, nil
  local entry = record.history[#record.history]
  if note and entry then entry.note = retries.join(note, entry.note) end
  return record
end

---Returns the outcome of a wait without an attempt.
---@param step bide.OpenStep
---@param elapsed integer
---@param f fun(wait: bide.Wait): table
local function without_attempt(step, elapsed, f)
  local wait = step.prepared:continue(resumption_of(step.state, elapsed, duration.of_seconds(1e9)), function() end)
  wait.elapsed = elapsed
  local record = f(wait)
  wait:abandon()
  return complete(record)
end

---Returns the outcome of a wait that an earlier step has ended.
---@return table record
local function record_of_end(step)
  local ended = step.state.ended
  return without_attempt(step, step.state.last - step.state.first, function(wait)
    wait.ended_earlier = true
    return outcome.record(wait, ended.state, ended.reason, ended.acceptor)
  end)
end

---Returns the outcome so far, without an attempt.
---@param delay integer milliseconds until the next step
---@return table record
function Step:report(delay)
  self.next = delay
  return without_attempt(self, loop.wall() - self.state.first, function(wait) return record_so_far(wait, delay) end)
end

---Begins the attempt, unless it is too early for it or the wait has ended. `done` is called once, with the outcome.
---@param done fun(record: table)
---@return bide.Wait? wait the one to cancel if a signal comes
function Step:start(done)
  local state, now = self.state, loop.wall()
  local left = state.delay - (now - state.last)
  if state.ended then return done(record_of_end(self)) end
  if left >= EARLY then return done(self:report(left)) end
  local function finish(record, wait, note)
    self.wait = wait
    keep(self, record)
    self.next = record.state == "retry" and state.delay or nil
    done(complete(record, note))
  end
  local kind = attempts.kind(self.prepared.waiter, self.prepared.limits, {
    word = "step",
    again = function(_, wait, ended_at, delay, acceptor, failure, note)
      wait.state:retry(ended_at, delay, acceptor, failure, note)
      finish(record_so_far(wait, delay), wait, wait.key.note)
      wait:abandon()
    end,
    ended = function(_, wait, record) finish(record, wait, wait.key.note) end,
  })
  return self.prepared:continue_as(kind, { late_by = streak.overslept(-left, state.delay) },
    resumption_of(state, now - state.first, math.max(left, 0)))
end

---@param prepared bide.PreparedWait
---@param text string?
---@param options bide.StepOptions
---@return bide.Step?
---@return string? mistake
function M.make(prepared, text, options)
  local step, mistake = M.open(prepared, text, options)
  if not step then return nil, "the state: " .. mistake end
  local waker = core.task.waker()
  local wait = step:start(waker)
  local _running <close> = wait and waiters.closing(wait)
  local record = core.task.pause(waker)
  return {
    outcome = outcome.of_record(record), next = step.next and duration.seconds(step.next), state = step:text(),
  }
end

return M
