---Many waits at once.

local bide = require "bide"
local core = require "bide.core"
local leftovers = require "spec.support.leftovers"

---How many operations run, and the most that ran at the same time.
local running, most = 0, 0

---A waiter whose operation answers after `input.after` seconds with `input.status`.
local things = bide.waiter {
  name = "ThingExists", minDelay = 0.005, maxDelay = 0.005,
  call = function(input)
    running = running + 1
    local _done <close> = setmetatable({}, { __close = function() running = running - 1 end })
    most = math.max(most, running)
    if input.after then bide.sleep(input.after) end
    if input.raise then error { type = input.raise } end
    return { status = input.status }
  end,
  acceptors = {
    { state = "success", matcher = { output = { path = "status", comparator = "stringEquals", expected = "done" } } },
    { state = "failure", matcher = { output = { path = "status", comparator = "stringEquals", expected = "failed" } } },
  },
}

---A wait that ends with its answer, or with its max wait unless its fleet cancels it.
local function wait(status, after)
  return things:prepare({ status = status, after = after }, { maxWait = 5 })
end

local function states(result)
  local list = {}
  for key, outcome in pairs(result.outcomes) do list[key] = outcome.reason == "cancelled" and "cancelled" or outcome.state end
  return list
end

describe("bide.all", function()
  after_each(function() assert.is_nil(leftovers.find()) end)

  it("succeeds when all have", function()
    local result = assert(bide.all { a = wait("done"), b = wait("done", 0.01) })
    assert.same({ a = "success", b = "success" }, states(result))
    assert.same({ 2, 2, 0 }, { result.needed, result.succeeded, result.failed })
  end)

  it("fails with the first failure, and cancels the others", function()
    local result, failed = bide.all { wait("failed", 0.01), wait("done", 60), wait("pending") }
    assert.is_nil(result)
    assert.same({ "failure", "cancelled", "cancelled" }, states(failed))
    assert.truthy(tostring(failed):find("0 of 3 waits succeeded, 1 failed, 2 cancelled; 3 needed; first failure: ", 1, true))
  end)

  it("runs them beside each other", function()
    local many = {}
    for i = 1, 50 do many[i] = wait("done", 0.03) end
    most = 0
    assert(bide.all(many))
    assert.equal(50, most)
  end)

  it("raises through assert with its message", function()
    local ok, raised = pcall(function() assert(bide.all { wait("failed") }) end)
    assert.is_false(ok)
    assert.truthy(tostring(raised):find("first failure: ThingExists failed", 1, true))
  end)
end)

describe("bide.any", function()
  after_each(function() assert.is_nil(leftovers.find()) end)

  it("succeeds with the first success, whatever failed before", function()
    local result = assert(bide.any { bad = wait("failed"), good = wait("done", 0.02), slow = wait("done", 60) })
    assert.same({ bad = "failure", good = "success", slow = "cancelled" }, states(result))
  end)

  it("fails when all have failed", function()
    local _, failed = bide.any { wait("failed"), wait("failed", 0.01) }
    assert.same({ "failure", "failure" }, states(failed))
  end)
end)

describe("bide.some", function()
  after_each(function() assert.is_nil(leftovers.find()) end)

  it("succeeds with as many as are needed", function()
    local result = assert(bide.some(2, { wait("done"), wait("failed"), wait("done", 0.02), wait("done", 60) }))
    assert.same({ "success", "failure", "success", "cancelled" }, states(result))
  end)

  it("fails as soon as there cannot be as many", function()
    local _, failed = bide.some(2, { wait("failed"), wait("failed", 0.01), wait("done", 60) })
    assert.same({ "failure", "failure", "cancelled" }, states(failed))
  end)

  it("keeps each branch's input and limits", function()
    local long = things:prepare({ status = "pending" }, { maxWait = 600 })
    local short = things:prepare({ status = "pending" }, { maxWait = 0.02 })
    local few = things:prepare({ status = "pending" }, { maxWait = 600, maxAttempts = 2 })
    local _, failed = bide.all { long = long, few = few }
    assert.same({ "cancelled", "maxAttempts" }, { failed.outcomes.long.reason, failed.outcomes.few.reason })
    _, failed = bide.any { short = short, few = few }
    assert.same({ "maxWait", "maxAttempts" }, { failed.outcomes.short.reason, failed.outcomes.few.reason })
  end)

  it("names what is wrong", function()
    assert.error_matches(function() bide.some(3, { wait("done") }) end, "from 1 to 1")
    assert.error_matches(function() bide.all {} end, "expected waits")
    assert.error_matches(function() bide.any { a = things } end, "a: expected what waiter:prepare%(.*, found a table")
    assert.error_matches(function() things:prepare({}, {}) end, "maxWait is missing")
  end)
end)

describe("a fleet that is cancelled", function()
  it("cancels every wait, and leaves nothing behind", function()
    local many, closed = {}, 0
    for i = 1, 10000 do many[i] = things:prepare({ status = "pending" }, { maxWait = 60, minDelay = 30, maxDelay = 30 }) end
    local fleet = bide.spawn(function()
      local _guard <close> = setmetatable({}, { __close = function() closed = closed + 1 end })
      return bide.all(many)
    end)
    repeat bide.sleep(0.01) until core.loop.timer_count() >= 10000
    fleet:cancel()
    pcall(fleet.join, fleet)
    while core.task.count() > 0 do core.loop.turn() end
    assert.equal(1, closed)
    assert.is_nil(leftovers.find())
    assert.equal(0, core.loop.timer_count())
  end)
end)
