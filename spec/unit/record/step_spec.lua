---One step of a wait, in a script: what it refuses, and what it makes of the time between two steps.

local bide = require "bide"
local core = require "bide.core"
local states = require "bide.record.step.state"

local done = { output = { path = "done", comparator = "booleanEquals", expected = "true" } }

local function waiter_of(changes, call)
  local definition = {
    name = "ThingDone", minDelay = 2, maxDelay = 2, acceptors = { { state = "success", matcher = done } },
    call = call or function() return { done = false } end,
  }
  for name, value in pairs(changes or {}) do definition[name] = value end
  return bide.waiter(definition)
end

local options = { maxWait = 300, seed = 1 }

---Changes the state that is in a text.
local function change(text, f)
  local state = assert(states.unpack(text))
  f(state)
  return states.pack(state)
end

---Moves the steps of a state into the past, as if the next one came later.
local function later(text, milliseconds)
  return change(text, function(state)
    state.first, state.last = state.first - milliseconds, state.last - milliseconds
  end)
end

describe("prepared:step", function()
  local wall = core.loop.wall

  ---Between two steps no time passes but that by which a case moves them.
  before_each(function()
    local now = wall()
    core.loop.wall = function() return now end
  end)
  after_each(function() core.loop.wall = wall end)

  it("makes one attempt, and gives the state for the next one", function()
    local step = assert(waiter_of():prepare({ name = "foo" }, options):step())
    assert.equal("retry", step.outcome.state)
    assert.is_nil(step.outcome.reason)
    assert.is_true(step.outcome.partial)
    assert.equal(2, step.next)
    assert.equal(1, step.outcome.attempts)
    step = assert(waiter_of():prepare({ name = "foo" }, options):step(later(step.state, 2000)))
    assert.equal(2, step.outcome.attempts)
    assert.equal(2, step.outcome.history[1].attempt)
    assert.equal(1, #step.outcome.history)
    assert.is_nil(step.outcome.omitted)
    assert.matches("^ThingDone: not yet, after 2 attempts in 2[.%d]* s; last seen: done is false; next in 2 s$",
      step.outcome.message)
  end)

  it("leaves the state as it was where memory ran out, so that the next step makes the attempt again", function()
    local has_memory = false
    local waiter = waiter_of(nil, function() return has_memory and { done = true } or error("not enough memory", 0) end)
    local step = assert(waiter:prepare({}, options):step())
    assert.same({ "failure", "scriptError", true }, { step.outcome.state, step.outcome.reason, step.outcome.fault })
    has_memory = true
    step = assert(waiter:prepare({}, options):step(step.state))
    assert.same({ "success", 1 }, { step.outcome.state, step.outcome.attempts })
  end)

  it("refuses what it cannot mean", function()
    local prepared = waiter_of():prepare({}, options)
    assert.error_matches(function() prepared:step(1) end, "step: state: expected a string, found 1", 1, true)
    assert.error_matches(function() prepared:step(nil, { kye = "x" }) end, 'step: kye: unknown option, did you mean "key"?',
      1, true)
    assert.error_matches(function() prepared:step(nil, { key = 1 }) end, "step: key: expected", 1, true)
    local step, mistake = prepared:step "x"
    assert.is_nil(step)
    assert.matches("^the state: expected the text that a step gave", mistake)
  end)

  it("refuses the state of another recipe, input, token or limit, and of a broken record", function()
    local given = assert(waiter_of({ idempotencyToken = "token" }):prepare({ name = "foo" }, options):step()).state
    local function refused(changes, input, limits, state)
      local waiter = waiter_of(changes)
      local step, mistake = waiter:prepare(input, limits or options):step(state or given)
      assert.is_nil(step)
      return mistake
    end
    local same = { idempotencyToken = "token" }
    assert.matches("the recipe", refused({ idempotencyToken = "token", maxDelay = 3 }, { name = "foo" }))
    assert.matches("the recipe", refused({ idempotencyToken = "token", name = "Other" }, { name = "foo" }))
    assert.matches("the recipe", refused({ idempotencyToken = "token", hold = { attempts = 2 } }, { name = "foo" }))
    assert.matches("the input", refused(same, { name = "bar" }))
    assert.matches("the token", refused(same, { name = "foo", token = "mine" }))
    assert.matches("maxWait 5 m 1 s: the wait began with 5 m. Give the same$",
      refused(same, { name = "foo" }, { maxWait = 301 }))
    assert.matches("maxAttempts 3: the wait began with none. Give the same, or leave it out",
      refused(same, { name = "foo" }, { maxWait = 300, maxAttempts = 3 }))
    assert.matches("retryAfter ignored: the wait began with the default. Give the same, or leave it out",
      refused(same, { name = "foo" }, { maxWait = 300, retryAfter = false }))
    local broken = change(given, function(state) state.record = "bide-wait 3 attempts=x" end)
    assert.matches("not of this version", refused(same, { name = "foo" }, nil, broken))
    local later_version = change(given, function(state) state.record = state.record:gsub("bide%-wait 4", "bide-wait 99") end)
    assert.matches("not of this version", refused(same, { name = "foo" }, nil, later_version))
  end)

  it("keeps the token of the request, and refuses one that no state can carry", function()
    local tokens = {}
    local waiter = waiter_of({ idempotencyToken = "token" }, function(input)
      tokens[#tokens + 1] = input.token
      return { done = false }
    end)
    local state
    for _ = 1, 3 do
      state = later(assert(waiter:prepare({}, options):step(state)).state, 2000)
    end
    assert.equal(tokens[1], tokens[2])
    assert.equal(tokens[1], tokens[3])
    assert(waiter:prepare({}, options):step())
    assert.not_equal(tokens[1], tokens[4])
    local _, mistake = waiter:prepare({ token = ("x"):rep(257) }, options):step()
    assert.matches("the token has 257 bytes, and a step carries at most 256", mistake)
  end)

  it("begins anew without a state, also if the same wait was prepared once", function()
    local tokens = {}
    local prepared = waiter_of({ idempotencyToken = "token" }, function(input)
      tokens[#tokens + 1] = input.token
      return { done = false }
    end):prepare({}, options)
    assert(prepared:step())
    assert.equal(1, assert(prepared:step()).outcome.attempts)
    assert.not_equal(tokens[1], tokens[2])
  end)

  it("signs the state with a key", function()
    local prepared = waiter_of():prepare({}, options)
    local step = assert(prepared:step(nil, { key = "k" }))
    assert.matches("it is signed", select(2, prepared:step(step.state)))
    assert(prepared:step(step.state, { key = "k" }))
  end)

  it("makes no attempt if it comes more than a second early", function()
    local prepared = waiter_of({ minDelay = 20, maxDelay = 20 }):prepare({}, options)
    local step = assert(prepared:step())
    local early = assert(prepared:step(later(step.state, 5000)))
    assert.equal("retry", early.outcome.state)
    assert.equal(1, early.outcome.attempts)
    assert.same({}, early.outcome.history)
    assert.is_true(early.next > 5 and early.next < 15.01, tostring(early.next)) -- seconds; a loaded machine takes some of them
    assert.matches("not yet, after 1 attempt in %d+[%d.]* s; next in %d+[%d.]* s", early.outcome.message)
    assert.equal(later(step.state, 5000), early.state)
  end)

  it("waits the rest if it comes less than a second early", function()
    local prepared = waiter_of():prepare({}, options)
    local began = core.loop.update()
    local step = assert(prepared:step())
    assert.equal(2, assert(prepared:step(later(step.state, 1900))).outcome.attempts)
    assert.is_true(core.loop.update() - began >= 95)
  end)

  it("gives the end of a wait again, without an attempt", function()
    local asked = 0
    local prepared = waiter_of(nil, function()
      asked = asked + 1
      return { done = true }
    end):prepare({}, options)
    local step = assert(prepared:step())
    assert.equal("success", step.outcome.state)
    assert.is_nil(step.next)
    local again = assert(prepared:step(later(step.state, 10 ^ 9 | 0)))
    assert.equal(1, asked)
    for _, name in ipairs { "state", "reason", "acceptor", "attempts", "elapsed" } do
      assert.equal(step.outcome[name], again.outcome[name])
    end
    assert.matches("succeeded after 1 attempt in .*, in an earlier step", again.outcome.message)
    assert.is_nil(again.next)
  end)

  it("ends a wait whose deadline is over when it comes", function()
    local step = assert(waiter_of():prepare({}, options):step())
    local late = assert(waiter_of():prepare({}, options):step(later(step.state, 400000)))
    assert.equal("maxWait", late.outcome.reason)
    assert.equal(1, late.outcome.attempts)
    assert.matches("nothing was seen: no further attempt was made in time", late.outcome.message)
  end)

  for _, row in ipairs {
    { "a hold goes on if a step is a little late", { hold = "30s" }, true, 11000, nil },
    { "a hold goes on if a step is late by less than twice its delay", { hold = "3m" }, true, 55000, nil, 20 },
    { "a hold begins again if a step is late", { hold = "30s" }, true, 29000, "the hold begins again" },
    { "a number of successes is no time", { hold = 3 }, true, 29000, nil },
    { "tolerated errors begin again if a step is late", { tolerate = "30s" }, false, 29000,
      "the time of tolerated errors begins again" },
  } do
    it(row[1], function()
      local waiter = waiter_of(nil, function()
        if not row[3] then error { type = "ConnectionRefused", message = "refused" } end
        return { done = true }
      end)
      local limits = { maxWait = 300, seed = 1, hold = row[2].hold, tolerate = row[2].tolerate, interval = row[6] or 2 }
      local step = assert(waiter:prepare({}, limits):step())
      assert.equal("retry", step.outcome.state)
      step = assert(waiter:prepare({}, limits):step(later(step.state, row[4])))
      local note = step.outcome.history[1].note or ""
      if row[5] then
        assert.matches("the step came 27 s late: " .. row[5], note)
      else
        assert.no.matches("begins again", note)
      end
    end)
  end

  it("takes up the time where the clock is before that of the last step", function()
    local shown = require "bide.text.shown"
    local warn, warnings = shown.warn, {}
    shown.warn = function(text) warnings[#warnings + 1] = text end
    local prepared = waiter_of({ minDelay = 0.5, maxDelay = 0.5 }):prepare({}, options)
    local step = assert(prepared:step())
    local next_step = prepared:step(later(step.state, -3600000))
    shown.warn = warn
    assert.equal(1, #warnings)
    assert.matches("the clock is 1 h before that of the last step", warnings[1])
    assert.equal(2, next_step.outcome.attempts)
    assert.is_true(next_step.outcome.elapsed < 2)
  end)

  it("keeps the last output in the state, if it is asked to", function()
    local waiter = waiter_of(nil, function() return { size = 3, password = "hush-hush" } end)
    local seen = { size = 3, password = "[redacted]" }
    local kept = assert(waiter:prepare({}, options):step(nil, { withOutput = true }))
    assert.equal('{"password":"[redacted]","size":3}', states.unpack(kept.state).output)
    for milliseconds, expected in pairs { [0] = 1, [400000] = 1 } do -- no attempt is made
      local step = assert(waiter:prepare({}, options):step(later(kept.state, milliseconds), { withOutput = true }))
      assert.equal(expected, step.outcome.attempts)
      assert.same(seen, step.outcome.output)
    end
    local without = assert(waiter:prepare({}, options):step())
    assert.is_nil(states.unpack(without.state).output)
    assert.is_nil(assert(waiter:prepare({}, options):step(without.state)).outcome.output)
    local large = assert(waiter_of(nil, function() return { text = ("x"):rep(40000) } end):prepare({}, options)
      :step(nil, { withOutput = true }))
    assert.is_nil(states.unpack(large.state).output)
  end)

  it("makes the attempt again that was a bug of bide, and ends by one of the script", function()
    local step = assert(waiter_of(nil, function() error "broken" end):prepare({}, options):step())
    assert.equal("scriptError", step.outcome.reason)
    assert.equal("scriptError", assert(waiter_of():prepare({}, options):step(step.state)).outcome.reason)
  end)
end)
