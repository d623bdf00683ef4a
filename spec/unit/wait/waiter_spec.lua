local core = require "bide.core"
local check = require "spec.support.check"

-- busted looks up a global at each use
local ipairs, math = ipairs, math

local json, wait = core.json, core.wait

local nothing = json.document({})
local blank = { input = nothing, output = nothing }
local output = { path = "status", expected = "done", comparator = "stringEquals" }
local retries = { { state = "success", matcher = { output = output } } }

local function start(limits, acceptors)
  local minimum, maximum = limits.min or 2000, limits.max or 120000
  local definition = wait.definition(minimum, maximum, acceptors or retries)
  return wait.kind(definition, {
    min_delay = minimum, max_delay = maximum, max_wait = limits.wait, max_attempts = limits.attempts,
  }):start(limits.seed or 1, limits.now or 0)
end

---Runs a wait whose attempts take no time and never match; returns the delays and the reason.
local function delays_of(limits)
  local state, now, delays = start(limits), limits.now or 0, {}
  while true do
    state:begin()
    local verdict, _, detail = state:observe(now, blank)
    if verdict ~= "retry" then return delays, detail, now end
    delays[#delays + 1] = detail
    now = now + detail
  end
end

describe("the waiter", function()
  describe("its delays", function()
    it("begin with exactly minDelay", function()
      for seed = 1, 200 do check.equal(2000, delays_of({ wait = 300000, seed = seed })[1]) end
    end)

    it("keep to the specification's bounds, over many seeds", function()
      for seed = 1, 1500 do
        math.randomseed(seed)
        local minimum = math.random(1, 3000)
        local maximum = math.random(minimum, 100000)
        local max_wait = math.random(1, 600000)
        local start_at = math.random(-10 ^ 12 | 0, 10 ^ 12 | 0)
        local delays, reason, ended = delays_of {
          min = minimum, max = maximum, wait = max_wait, seed = seed, now = start_at,
        }
        local elapsed = 0
        for retry, delay in ipairs(delays) do
          local remaining = max_wait - elapsed
          local is_last = retry == #delays
          check.is_true(delay > 0)
          check.is_true(is_last or delay >= minimum)
          check.is_true(delay <= wait.ceiling(minimum, maximum, retry))
          check.is_true(is_last or remaining - delay > minimum)
          elapsed = elapsed + delay
        end
        check.equal("maxWait", reason)
        check.equal(start_at + elapsed, ended)
        if max_wait > minimum then
          check.equal(max_wait - minimum, elapsed) -- one last retry, minDelay before the deadline
        else
          check.equal(0, elapsed)                  -- one attempt, no pointless sleep
        end
      end
    end)

    it("have jitter at the cap too, inclusive at both ends", function()
      local least, most = math.huge, 0
      for seed = 1, 4000 do
        local delays = delays_of { min = 1, max = 4, wait = 40, seed = seed }
        for retry = 4, #delays - 1 do
          least, most = math.min(least, delays[retry]), math.max(most, delays[retry])
        end
      end
      assert.same({ 1, 4 }, { least, most })
    end)

    it("draw every whole millisecond about as often as any other", function()
      local counts = {}
      for seed = 1, 8000 do
        local delay = delays_of({ min = 10, max = 20, wait = 1000, seed = seed, attempts = 6 })[5]
        counts[delay] = (counts[delay] or 0) + 1
      end
      for delay = 10, 20 do
        check.is_true(counts[delay] > 8000 / 11 * 0.8 and counts[delay] < 8000 / 11 * 1.2)
      end
    end)

    it("are the same for the same seed, and differ for another", function()
      assert.same(delays_of { wait = 300000, seed = 7 }, (delays_of { wait = 300000, seed = 7 }))
      assert.not_same(delays_of { wait = 300000, seed = 7 }, (delays_of { wait = 300000, seed = 8 }))
    end)
  end)

  describe("its limits", function()
    it("end the wait at once where remaining is minDelay", function()
      local state = start { wait = 10000, min = 2000 }
      state:begin()
      assert.same({ "failure", nil, "maxWait" }, { state:observe(8000, blank) })
      check.equal("retry", (state:observe(7999, blank)))
    end)

    it("make one attempt where maxWait is at most minDelay", function()
      check.equal(0, #delays_of { wait = 2000 })
      check.equal(0, #delays_of { wait = 1 })
      check.equal(1, #delays_of { wait = 2001 })
    end)

    it("count the answer that came after exactly maxWait, and no later one", function()
      local done = json.document({ status = "done" })
      local state = start { wait = 5000 }
      state:begin()
      assert.same({ "success", 1, "acceptor" }, { state:observe(5000, { input = nothing, output = done }) })
      assert.same({ "failure", nil, "maxWait" }, { state:observe(5001, { input = nothing, output = done }) })
    end)

    it("end at max attempts, which goes before max wait", function()
      local delays, reason = delays_of { wait = 300000, attempts = 3 }
      assert.same({ 2, "maxAttempts" }, { #delays, reason })
      delays, reason = delays_of { wait = 1, attempts = 1 }
      assert.same({ 0, "maxAttempts" }, { #delays, reason })
    end)

    it("let the very last attempt succeed", function()
      local state = start { wait = 300000, attempts = 1 }
      state:begin()
      check.equal("success", (state:observe(0, { input = nothing, output = json.document({ status = "done" }) })))
    end)

    it("take a max wait and a clock as large as there are", function()
      local state = start { wait = math.maxinteger, now = math.maxinteger - 10 }
      check.equal(math.maxinteger - 1, state:deadline())
      state = start { wait = math.maxinteger, now = 5 }
      state:begin()
      check.equal("retry", (state:observe(10, blank)))
    end)

    it("are refused where they make no sense", function()
      assert.has_error(function() start { wait = 0 } end)
      assert.has_error(function() start { wait = -1 } end)
      assert.has_error(function() start { wait = 1, attempts = 0 } end)
      assert.has_error(function() start { wait = 1, min = 0 } end)
      assert.has_error(function() start { wait = 1, min = 3, max = 2 } end)
    end)
  end)

  describe("its workflow", function()
    local function decide(acceptors, result, error_type, input)
      local state = start({ wait = 300000 }, acceptors)
      state:begin()
      local document = result ~= nil and json.document(result) or nil
      local seen = { input = input or nothing, output = document, error_type = error_type }
      local verdict, acceptor, detail, note = state:observe(0, seen)
      return { verdict, acceptor, detail }, note, state
    end

    it("takes the first acceptor that matches", function()
      local acceptors = {
        { state = "retry", matcher = { errorType = "NotFound" } },
        { state = "failure", matcher = { success = false } },
        { state = "success", matcher = { success = true } },
        { state = "failure", matcher = { success = true } },
      }
      assert.same({ "success", 3, "acceptor" }, (decide(acceptors, {})))
      assert.same({ "retry", 1, 2000 }, (decide(acceptors, nil, "NotFound")))
      assert.same({ "failure", 2, "acceptor" }, (decide(acceptors, nil, "Other")))
    end)

    it("fails on an error that no acceptor matched, retries a success that none did", function()
      assert.same({ "failure", nil, "unmatchedError" }, (decide(retries, nil, "AccessDenied")))
      assert.same({ "retry", nil, 2000 }, (decide(retries, { status = "pending" })))
    end)

    it("does not look at outputs on an error", function()
      local acceptors = {
        { state = "success", matcher = { output = { path = "@", expected = "x", comparator = "stringEquals" } } },
        { state = "success", matcher = { inputOutput = { path = "`true`", expected = "true", comparator = "booleanEquals" } } },
      }
      assert.same({ "failure", nil, "unmatchedError" }, (decide(acceptors, nil, "E")))
    end)

    it("sees input and output side by side", function()
      local acceptors = { { state = "success", matcher = { inputOutput = {
        path = "length(input.groups) == length(output.groups)", expected = "true", comparator = "booleanEquals" } } } }
      local input = json.document({ groups = { "a", "b" } })
      check.equal("success", decide(acceptors, { groups = { 1, 2 } }, nil, input)[1])
      check.equal("retry", decide(acceptors, { groups = { 1 } }, nil, input)[1])
    end)

    it("notes a path that cannot be evaluated, and does not match", function()
      local acceptors = { { state = "success", matcher = { output = {
        path = "length(missing) > `0`", expected = "true", comparator = "booleanEquals" } } } }
      local decision, note = decide(acceptors, {})
      check.equal("retry", decision[1])
      assert.truthy(note:find("invalid-type", 1, true))
    end)

    it("asks the host in its turn, and goes on behind what was asked", function()
      local acceptors = {
        { state = "failure", matcher = { success = false } },
        { state = "success", matcher = { lua = "custom" } },
        { state = "failure", matcher = { success = true } },
      }
      local decision, _, state = decide(acceptors, {})
      assert.same({ "ask", 2 }, decision)
      assert.same({ "success", 2, "acceptor" }, { state:accept(0, {}, 2) })
      assert.same({ "failure", 3, "acceptor" }, { state:observe(0, blank, 3) })
      assert.same({ "failure", 1, "acceptor" }, (decide(acceptors, nil, "E")))
      assert.has_error(function() state:accept(0, {}, 4) end)
    end)
  end)
end)

describe("a success that its witness has not confirmed", function()
  local acceptors = { { state = "failure", matcher = { success = false } }, { state = "success", matcher = { success = true } } }
  local done = { input = nothing, output = nothing }

  local function begin(beyond, limits)
    local definition = wait.definition(10, 1000, acceptors, beyond)
    limits.min_delay, limits.max_delay = 10, 1000
    local state = wait.kind(definition, limits):start(1, 0)
    state:begin()
    return state
  end

  it("is a retry of its acceptor, with the delay of any other one", function()
    local state = begin(nil, { max_wait = 1000 })
    assert.same({ "success", 2, "acceptor" }, { state:observe(0, done) })
    assert.same({ "retry", 2, 10 }, { state:take_back(0, done, 2) })
    state:begin()
    state:observe(100, done)
    assert.same({ "retry", 2, 700 }, { state:take_back(100, { output = nothing, retry_after = 700 }, 2) })
  end)

  it("ends the wait as a retry does: after the last attempt, and before the deadline", function()
    local state = begin(nil, { max_wait = 1000, max_attempts = 1 })
    state:observe(0, done)
    assert.same({ "failure", 2, "maxAttempts" }, { state:take_back(0, done, 2) })
    state = begin(nil, { max_wait = 1000 })
    state:observe(990, done)
    assert.same({ "failure", 2, "maxWait" }, { state:take_back(990, done, 2) })
  end)

  it("has not held", function()
    local state = begin({ hold_attempts = 2 }, { max_wait = 1000 })
    assert.equal("retry", (state:observe(0, done)))
    state:begin()
    assert.same({ "success", 2, "acceptor" }, { state:observe(10, done) })
    state:take_back(10, done, 2)
    assert.is_nil((state:streak()))
    state:begin()
    assert.equal("retry", (state:observe(20, done)))
  end)

  it("is one of the definition's", function()
    local state = begin(nil, { max_wait = 1000 })
    for _, position in ipairs { 0, 3, -1 } do assert.has_error(function() state:take_back(0, done, position) end) end
    assert.has_error(function() state:take_back(0, nil, 1) end)
  end)
end)

describe("the clock of a wait", function()
  local function start_at(age)
    local definition = core.wait.definition(1000, 2000, { { state = "success", matcher = { success = true } } })
    local limits = { min_delay = 1000, max_delay = 2000, max_wait = 10000 }
    return core.wait.kind(definition, limits):start(1, core.loop.update() - age)
  end

  it("lets no attempt but the first begin after the deadline, if it is asked for that", function()
    local state = start_at(10001)
    assert.equal(1, (state:begin(true)))
    assert.equal(0, select("#", state:begin(true)))
    assert.equal(2, (state:begin()))
    state = start_at(0)
    state:begin(true)
    assert.equal(2, (state:begin(true)))
  end)

  it("decides on an attempt that ended before the deadline", function()
    local document = assert(core.json.document {})
    local decided = { start_at(0):decide { input = document, output = document } } -- reads the clock again
    assert.same({ core.loop.now(), "success", 1, "acceptor" }, decided)
    decided = { start_at(10001):decide { input = document, output = document } }
    assert.same({ core.loop.now() }, decided)
  end)

  it("says when an attempt begins", function()
    local state = start_at(0)
    local number, deadline, began = state:begin() -- reads the clock again
    assert.same({ 1, state:deadline(), core.loop.now() }, { number, deadline, began })
    assert.equal(began, state:began())
  end)
end)
