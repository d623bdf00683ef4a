---A wait that hears of events gave up after its last poll, up to minDelay before its deadline: with `--interval 20s
-----max-wait 10s` after 0 s, although its watch would have heard of all that happened in the 10 s. A resumed wait heard
---nothing before its next poll.

local Workspace = require "spec.support.workspace"
local acceptor = require "bide.acceptor"
local bide = require "bide"

describe("after its last poll, a wait that hears of events", function()
  local workspace = Workspace.of_each()

  it("lasts until its deadline, and an event still makes an attempt", function()
    local running = workspace:start { "file", "late", "--interval", "90s", "--max-wait", "60s", "--output", "json", "--verbose" }
    running:wait_for_output "attempt 2"
    workspace:write("late", "")
    running:wait()
    assert.equal(0, running.code, running.stderr)
    local outcome = bide.json.decode(running.stdout)
    assert.is_true(outcome.elapsed < 50)
    assert.is_true(outcome.history[#outcome.history].woken)
  end)

  it("exceeds its deadline without an event, and gives up at once where there is nothing to hear", function()
    local outcome, done = workspace:outcome { "file", "none", "--interval", "20s", "--max-wait", "3s" }
    assert.equal(124, done.code)
    assert.matches("exceeded --max-wait 3s after 2 attempts", outcome.message, 1, true)
    outcome = workspace:outcome { "file", "none", "--interval", "90s", "--max-wait", "60s", "--no-watch" }
    assert.matches("gave up after", outcome.message, 1, true)
    assert.is_true(outcome.elapsed < 50)
    outcome = workspace:outcome { "tcp", "127.0.0.1:1", "--interval", "90s", "--max-wait", "60s" }
    assert.is_true(outcome.elapsed < 50)
  end)

  it("may be woken by a signal that was announced", function()
    local running = workspace:start { "command", "test -e late", "--interval", "20s", "--max-wait", "50s", "--wake-on", "USR1",
      "--verbose" }
    running:wait_for_output "attempt 1"
    workspace:write("late", "")
    running:kill "sigusr1"
    running:wait()
    assert.equal(0, running.code, running.stderr)
  end)

  ---A waiter whose only poll finds nothing.
  local function waiter_of(watch, call)
    return bide.waiter {
      name = "WorldReady", minDelay = 90, maxDelay = 90, watch = watch,
      acceptors = { acceptor.output("success", "ready") },
      call = call or function() return { ready = false } end,
    }
  end

  it("ends as soon as its watch says that there is nothing to hear", function()
    local _, failure = waiter_of(function()
      bide.sleep(0.2)
      return false
    end):wait({}, { maxWait = 60 })
    assert.equal("maxWait", failure.reason)
    assert.is_true(failure.elapsed < 50)
  end)

  it("waits for a watch that failed to begin again", function()
    local runs = 0
    local outcome = assert(waiter_of(function(_, wake)
      runs = runs + 1
      wake.healthy()
      if runs == 1 then error { type = "Lost", message = "the connection is gone" } end
      bide.sleep(1000)
    end, function() return { ready = runs == 2 } end):wait({}, { maxWait = 60 }))
    assert.same({ 2, true }, { runs, outcome.elapsed < 50 })
  end)

  it("is not woken before a Retry-After, and ends if that is beyond its deadline", function()
    local calls = 0
    local function refuse()
      calls = calls + 1
      error { type = "Throttled", message = "later", status = 429, retryAfter = 90 }
    end
    local _, failure = waiter_of(function(_, wake)
      for _ = 1, 100 do
        bide.sleep(0.05)
        wake()
      end
    end, refuse):wait({}, { maxWait = 60, tolerate = "1m" })
    assert.same({ 1, "maxWait" }, { calls, failure.reason })
    assert.is_true(failure.elapsed < 50)
  end)

  it("hears from the beginning if it is resumed", function()
    local words = { "file", "late", "--interval", "90s", "--max-wait", "120s", "--journal", "j", "--resume", "--verbose" }
    local running = workspace:start(words)
    running:wait_for_output "attempt 2"
    running:kill "sigkill"
    running:wait()
    workspace:write("late", "")
    running = workspace:start(words)
    local began = os.time()
    running:wait()
    assert.equal(0, running.code, running.stderr)
    assert.is_true(os.time() - began < 50)
  end)
end)
