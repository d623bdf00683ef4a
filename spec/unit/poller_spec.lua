local bide = require "bide"

---A function that answers with one row of values after the other, the last one for ever.
local function answers(...)
  local rows, count = { ... }, 0
  return function()
    count = count + 1
    return table.unpack(rows[math.min(count, #rows)], 1, 2)
  end
end

local failing = answers { false }

describe("bide.poller", function()
  it("steps as the seed's example does", function()
    local poller = bide.poller(answers({ nil }, { nil }, { "project" }))
    assert.equal("attempt_failed", poller:once())
    assert.equal(0.01, poller.nextDelay)
    assert.equal("attempt_failed", poller:once())
    assert.equal(0.02, poller.nextDelay)
    assert.equal("ok", poller:once())
    assert.same({ 3, nil, "project" }, { poller.attemptNum, poller.nextDelay, poller.value })
    assert.is_true(math.abs(poller.totalDelay - 0.03) < 1e-9)
  end)

  it("makes five attempts, ten milliseconds times the attempt between them", function()
    local poller, delays = bide.poller(failing), {}
    while poller:once() == "attempt_failed" do delays[#delays + 1] = math.floor(poller.nextDelay * 1000 + 0.5) end
    assert.same({ 10, 20, 30, 40 }, delays)
    assert.same({ 5, false, nil }, { poller.attemptNum, poller.fulfilled, poller.nextDelay })
  end)

  it("records every attempt", function()
    local poller = bide.poller(answers({ nil, "first" }, { false }, { 42 }), { delay = 0.5 })
    poller:once() poller:once() poller:once()
    assert.same({
      { number = 1, delayBefore = 0, value = "first", fulfilled = false },
      { number = 2, delayBefore = 0.5, value = nil, fulfilled = false },
      { number = 3, delayBefore = 0.5, value = 42, fulfilled = true },
    }, poller.attempts)
  end)

  it("takes true for met without a value, and any value for met with it", function()
    assert.is_true(bide.poller(answers { true }):poll())
    assert.equal(0, bide.poller(answers { 0 }):poll())
    assert.equal("", bide.poller(answers { "" }):poll())
    assert.equal("value", bide.poller(answers { true, "value" }):poll())
  end)

  it("returns nil and itself where the condition was never met", function()
    local value, poller = bide.poller(answers { nil, "last" }, { maxAttempts = 1 }):poll()
    assert.is_nil(value)
    assert.same({ "last", 1, false }, { poller.value, poller.attemptNum, poller.fulfilled })
  end)

  it("takes JSON's null for no value", function()
    local value, poller = bide.poller(answers({ bide.null }, { bide.null, "why" }, { "value" }), { delay = 0 }):poll()
    assert.same({ "value", 3, bide.null, "why" },
      { value, poller.attemptNum, poller.attempts[1].value, poller.attempts[2].value })
  end)

  it("raises with the whole history through assert", function()
    local ok, raised = pcall(function() assert(bide.poller(answers { nil, { "a" } }, { maxAttempts = 2, delay = 0 }):poll()) end)
    assert.is_false(ok)
    assert.equal("Tried 2 times over 0 s, but the condition was never met\n"
      .. '  attempt 1, after a delay of 0 s: not fulfilled, value ["a"]\n'
      .. '  attempt 2, after a delay of 0 s: not fulfilled, value ["a"]', tostring(raised))
  end)

  it("takes its delay and its bound from functions of the poller", function()
    local poller = bide.poller(failing, {
      delay = function(self) return self.attemptNum * 2 end,
      maxAttempts = function(self) return self.attemptNum < 3 end,
    })
    local delays = {}
    while poller:once() == "attempt_failed" do delays[#delays + 1] = poller.nextDelay end
    assert.same({ 2, 4 }, delays)
  end)

  it("goes on for ever where maxAttempts is math.huge", function()
    local poller = bide.poller(failing, { maxAttempts = math.huge, delay = 0 })
    for _ = 1, 1000 do assert.equal("attempt_failed", poller:once()) end
  end)

  it("is not asked again once it has ended", function()
    local count = 0
    local poller = bide.poller(function() count = count + 1 return count == 2 end)
    poller:once() poller:once()
    assert.same({ "ok", 2 }, { poller:once(), count })
    poller = bide.poller(failing, { maxAttempts = 1 })
    poller:once()
    assert.equal("retries_exhausted", poller:once())
  end)

  it("lets an error of the function through", function()
    assert.error_matches(function() bide.poller(function() error("broken") end):once() end, "broken")
  end)

  it("names what is wrong", function()
    assert.error_matches(function() bide.poller() end, "expected a function")
    assert.error_matches(function() bide.poller(failing, { maxAttemps = 1 }) end, 'did you mean "maxAttempts"')
    assert.error_matches(function() bide.poller(failing, { delay = "x" }) end, "delay: expected a number or a function")
    assert.error_matches(function() bide.poller(failing, { maxAttempts = 0 }) end, "maxAttempts: expected a whole number above 0")
    assert.error_matches(function() bide.poller(failing, { delay = -1 }):once() end, "number of seconds")
  end)
end)
