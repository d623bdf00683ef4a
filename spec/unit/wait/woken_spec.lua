---What the core makes of attempts that an event has brought forward, and what waits make of watches.

local begun = require "bide.wait.begun"
local bide = require "bide"
local core = require "bide.core"

local json, wait = core.json, core.wait
local blank = { input = json.document {}, output = json.document {} }
local never = { { state = "success", matcher = { success = false } } }
local succeeds = { { state = "success", matcher = { success = true } } }
local is_ready = {
  { state = "success", matcher = { output = { path = "ready", comparator = "booleanEquals", expected = "true" } } },
}

local function start(limits)
  local all = { min_delay = 2000, max_delay = 120000, max_wait = 10 ^ 7 | 0 }
  for name, value in pairs(limits) do all[name] = value end
  return wait.kind(wait.definition(2000, 120000, never), all, function() end):start(1, 0)
end

describe("a woken attempt", function()
  it("does not count towards max attempts", function()
    local state, verdicts = start { max_attempts = 3 }, {}
    for _, is_woken in ipairs { false, true, true, false, true, false } do
      state:begin(false, is_woken)
      local verdict, _, detail = state:observe(0, blank)
      verdicts[#verdicts + 1] = verdict == "retry" and verdict or detail
    end
    assert.same({ "retry", "retry", "retry", "retry", "retry", "maxAttempts" }, verdicts)
  end)

  it("does not count in a hold, and is enough for a hold of one attempt", function()
    for hold, wanted in pairs { [1] = "retry success", [2] = "retry retry retry retry success" } do
      local limits = { min_delay = 2000, max_delay = 120000, max_wait = 10 ^ 7 | 0, hold_attempts = hold }
      local state, verdicts = wait.kind(wait.definition(2000, 120000, is_ready), limits):start(1, 0), {}
      for number, is_woken in ipairs { false, true, true, false, false } do
        state:begin(false, is_woken)
        verdicts[number] = (state:observe(0, { input = blank.input, output = json.document { ready = number > 1 } }))
        if verdicts[number] == "success" then break end
      end
      assert.equal(wanted, table.concat(verdicts, " "))
    end
  end)

  it("does not count in the number of the backoff", function()
    for seed = 1, 50 do
      local state = start {}
      state:begin()
      state:observe(0, blank)
      for _ = 1, seed do
        state:begin(false, true)
        local _, _, delay = state:observe(0, blank)
        assert.equal(2000, delay)
      end
      state:begin()
      local _, _, delay = state:observe(0, blank)
      assert.is_true(delay <= wait.ceiling(2000, 120000, 2))
    end
  end)

  it("counts as any other if it is the first", function()
    local state = start { max_attempts = 1 }
    state:begin(false, true)
    local _, _, reason = state:observe(0, blank)
    assert.equal("maxAttempts", reason)
  end)

  it("is in the history, and in the record", function()
    local state = start { max_attempts = 2 }
    state:begin()
    state:retry(5, 2000)
    state:begin(false, true)
    state:retry(6, 2000)
    state:silence()
    local history = state:history()
    assert.same({ nil, true }, { history[1].woken, history[2].woken })
    local other = wait.restore(wait.definition(2000, 120000, never), state:save(), 0)
    other:begin()
    local verdict, _, reason = other:observe(0, blank)
    assert.same({ "failure", "maxAttempts" }, { verdict, reason })
  end)

  it("knows the Retry-After before which none comes", function()
    local observation = { input = blank.input, error_type = "Throttled", transient = true, retry_after = 9000 }
    local limits = { min_delay = 2000, max_delay = 120000, max_wait = 10 ^ 7 | 0, tolerated_attempts = 9 }
    local state = wait.kind(wait.definition(2000, 120000, succeeds), limits):start(1, 0)
    state:begin()
    state:observe(100, observation)
    assert.equal(9100, select(2, state:rings()))
    state:begin()
    state:observe(9100, blank)
    assert.equal(0, select(2, state:rings()))
  end)
end)

---A waiter that succeeds once `world.ready` is true. It polls every 20 s.
local function waiter_of(world, watcher, more)
  local given = {
    name = "WorldReady", minDelay = 20, maxDelay = 20, watch = watcher,
    acceptors = is_ready,
    call = function()
      world.calls = (world.calls or 0) + 1
      return { ready = world.ready or false }
    end,
  }
  for name, value in pairs(more or {}) do given[name] = value end
  return bide.waiter(given)
end

describe("the watch of an operation", function()
  it("begins after the first attempt, and makes one more once it stands", function()
    local world, begun_after = {}, nil
    local outcome = assert(waiter_of(world, function(_, wake)
      begun_after, world.ready = world.calls, true
      wake.healthy()
      wake.healthy()
      bide.sleep(1000)
    end):wait({}, { maxWait = 60 }))
    assert.same({ 1, 2, true }, { begun_after, outcome.attempts, outcome.history[2].woken })
    assert.is_true(outcome.elapsed < 5)
  end)

  it("does not run where the first attempt succeeds", function()
    local has_run = false
    assert(waiter_of({ ready = true }, function() has_run = true end):wait({}, { maxWait = 5 }))
    bide.sleep(0)
    assert.is_false(has_run)
  end)

  it("gets the input, and ends with the wait", function()
    local world, given, is_closed = {}, nil, false
    assert(waiter_of(world, function(input, wake)
      local _closed <close> = setmetatable({}, { __close = function() is_closed = true end })
      given, world.ready = input.name, true
      wake()
      bide.sleep(1000)
    end):wait({ name = "x" }, { maxWait = 60 }))
    bide.sleep(0)
    assert.same({ "x", true }, { given, is_closed })
  end)

  it("decides nothing: an event that lies costs an attempt", function()
    local world = {}
    local _, failure = waiter_of(world, function(_, wake)
      wake()
      bide.sleep(1000)
    end):wait({}, { maxWait = 0.3, minDelay = 0.25, maxDelay = 0.25 })
    assert.same({ "maxWait", 3 }, { failure.reason, failure.attempts })
  end)

  it("that fails stands in a note, begins again, and leaves the polls as they are", function()
    local world, runs = {}, 0
    local _, failure = waiter_of(world, function(_, wake)
      runs = runs + 1
      wake.healthy()
      error { type = "Lost", message = "the connection is gone" }
    end, { minDelay = 0.2, maxDelay = 0.2 }):wait({}, { maxWait = 1.6 })
    assert.equal(2, runs)
    local notes = {}
    for _, entry in ipairs(failure.history) do notes[#notes + 1] = entry.note end
    assert.matches("the watch failed: Lost: the connection is gone; it begins again in 1 s", table.concat(notes, "|"), 1, true)
    assert.is_true(failure.attempts >= 6)
  end)

  it("that has a bug does no more than one that fails", function()
    local outcome = assert(waiter_of({ ready = false }, function(input) return input.none.member end, {
      minDelay = 0.05, maxDelay = 0.05, acceptors = succeeds, hold = { attempts = 3 },
    }):wait({}, { maxWait = 5 }))
    assert.equal(3, outcome.attempts)
  end)

  it("is one for all waits with its key, and wakes those that it names", function()
    local running, most, calls, wakes = 0, 0, {}, nil
    local ready = {}
    local waiter = bide.waiter {
      name = "PodReady", minDelay = 20, maxDelay = 20,
      acceptors = is_ready,
      call = function(input)
        calls[input.name] = (calls[input.name] or 0) + 1
        return { ready = ready[input.name] or false }
      end,
      watch = function(_, wake)
        running, wakes = running + 1, wake
        most = math.max(most, running)
        wake.healthy()
        for number = 1, 20 do
          bide.sleep(0.01)
          ready["pod-" .. number] = true
          wake("pod-" .. number)
          wake "another"
        end
        bide.sleep(1000)
      end,
      watch_key = function(input) return input.folder end,
      watch_name = function(input) return input.name end,
    }
    local prepared = {}
    for number = 1, 20 do
      prepared[number] = waiter:prepare({ folder = "shop", name = "pod-" .. number }, { maxWait = 60 })
    end
    local result = assert(bide.all(prepared))
    assert.equal(1, most)
    for number = 1, 20 do assert.is_true(calls["pod-" .. number] <= 3) end
    assert.equal(20, result.succeeded)
    wakes() -- of a watch that has ended, which wakes nobody
  end)

  ---Runs a wait that begins while another one's watch is alive, and makes it ready during or after its first attempt.
  ---@return table outcome
  local function begin_beside(is_during)
    local ready, wakes, is_asking = {}, nil, false
    local function become_ready(name)
      ready[name] = true
      wakes(name)
    end
    local waiter = bide.waiter {
      name = "PodReady", minDelay = 20, maxDelay = 20, acceptors = is_ready,
      call = function(input)
        local seen = ready[input.name] or false
        is_asking = input.name == "late"
        if is_asking then bide.sleep(0.05) end
        is_asking = false
        return { ready = seen }
      end,
      watch = function(_, wake)
        wakes = wake
        wake.healthy()
        bide.sleep(1000)
      end,
      watch_key = function(input) return input.folder end,
      watch_name = function(input) return input.name end,
    }
    local early = bide.spawn(function() return waiter:wait({ folder = "shop", name = "early" }, { maxWait = 60 }) end)
    local event = bide.spawn(function()
      repeat bide.sleep(0.005) until is_asking
      repeat bide.sleep(0.005) until is_during or not is_asking
      become_ready "late"
    end)
    bide.sleep(0.1)
    local outcome = assert(waiter:wait({ folder = "shop", name = "late" }, { maxWait = 60 }))
    event:join()
    become_ready "early"
    assert(early:join())
    return outcome
  end

  it("that is alive makes no second attempt of a wait that begins then, and misses nothing during the first", function()
    for _, is_during in ipairs { true, false } do
      local outcome = begin_beside(is_during)
      assert.same({ 2, true }, { outcome.attempts, outcome.history[2].woken })
      assert.is_true(outcome.elapsed < 15)
    end
  end)

  it("that floods makes no more attempts than its bound, and takes no memory", function()
    local world, events = {}, 0
    local before
    local _, failure = waiter_of(world, function(_, wake)
      while true do
        for _ = 1, 1000 do wake() end
        wake.healthy()
        events = events + 1000
        if not before and events >= 20000 then
          collectgarbage()
          before = collectgarbage "count"
        end
        bide.sleep(0.01)
      end
    end, { minDelay = 0.1, maxDelay = 20 }):wait({}, { maxWait = 3 })
    collectgarbage()
    assert.is_true(events > 30000)
    assert.is_true(failure.attempts <= 3 / 0.1 + 6, tostring(failure.attempts))
    assert.is_true(collectgarbage "count" - before < 200)
  end)

  it("refuses a name that is no text", function()
    local failure
    assert(waiter_of({}, function(_, wake)
      local _, raised = pcall(wake, 5)
      failure = tostring(raised)
      bide.sleep(1000)
    end, { minDelay = 0.05, hold = { attempts = 3 }, acceptors = succeeds })
      :wait({}, { maxWait = 5 }))
    assert.matches("wake: name: expected a string, found 5", failure, 1, true)
  end)
end)

describe("bide.wake", function()
  it("makes the next attempt of every wait at once", function()
    local world = {}
    bide.spawn(function()
      bide.sleep(0.05)
      world.ready = true
      bide.wake()
    end)
    local result = assert(bide.all {
      waiter_of(world):prepare({}, { maxWait = 60 }), waiter_of(world):prepare({}, { maxWait = 60 }),
    })
    assert.equal(2, result.succeeded)
    assert.is_true(result.outcomes[1].elapsed < 5)
    assert.is_nil(next(begun.waits))
  end)

  it("brings no first attempt forward", function()
    local world = { ready = true }
    bide.spawn(bide.wake)
    local outcome = assert(waiter_of(world):wait({}, { maxWait = 60, initialDelay = 0.2 }))
    assert.is_true(outcome.elapsed >= 0.2)
    assert.equal(1, outcome.attempts)
  end)

  it("keeps a wake during an attempt for one more after it", function()
    local world = { is_slow = true }
    local outcome = assert(waiter_of(world, nil, { call = function()
      world.calls = (world.calls or 0) + 1
      if world.calls == 2 then
        bide.wake()
        bide.wake()
        bide.sleep(0.05)
      end
      return { ready = world.calls == 3 }
    end, minDelay = 0.01, maxDelay = 20 }):wait({}, { maxWait = 60 }))
    assert.same({ nil, nil, true }, { outcome.history[1].woken, outcome.history[2].woken, outcome.history[3].woken })
  end)
end)
