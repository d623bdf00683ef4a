---A recording did not say which attempts an event had brought forward, so that a replay made them later: it had other delays,
---and gave up where the wait had lasted until its deadline.

local uv = require "luv"
local Workspace = require "spec.support.workspace"
local json = require("bide").json

describe("the recording of a wait that a signal wakes", function()
  local workspace = Workspace.of_block()

  before_each(function() workspace:shell "rm -f begun flag rec.jsonl" end)

  local function start(command, ...)
    return workspace:start { "command", command, "--wake-on", "USR1", "--interval", "20s", "--record", "rec.jsonl",
      "--output", "json", "--verbose", ... }
  end

  ---Returns what a replay must repeat.
  local function decisions_of(outcome)
    local found = { outcome.state, outcome.reason, outcome.acceptor }
    for position, attempt in ipairs(outcome.history) do
      found[position + 3] = { attempt.delay, attempt.woken, attempt.acceptor, attempt.state }
    end
    return found
  end

  local function expect_repeated(running, ...)
    running:wait()
    local outcome = json.decode(running.stdout)
    local again, replay = workspace:outcome { "replay", "command", "CommandSucceeded", "rec.jsonl", "test -e flag",
      "--interval", "20s", ... }
    assert.same(decisions_of(outcome), decisions_of(again), replay.stderr)
    return outcome
  end

  it("has the events between its attempts", function()
    local running = start("test -e flag", "--max-wait", "50s")
    for attempt = 1, 3 do
      running:wait_for_output("attempt " .. attempt)
      if attempt == 3 then workspace:write("flag", "") end
      running:kill "sigusr1"
    end
    local outcome = expect_repeated(running, "--max-wait", "50s")
    assert.equal("success", outcome.state)
    assert.equal(4, #outcome.history)
  end)

  it("has an event that came during an attempt", function()
    local running = start("touch begun; sleep 0.4; test -e flag", "--max-wait", "50s")
    while not uv.fs_stat(workspace.path .. "/begun") do uv.run "nowait" end
    workspace:write("flag", "")
    running:kill "sigusr1"
    expect_repeated(running, "--max-wait", "50s")
  end)

  it("says that events could have come until the deadline", function()
    local running = start("test -e flag", "--max-wait", "1s", "--interval", "0.6s")
    local outcome = expect_repeated(running, "--max-wait", "1s", "--interval", "0.6s")
    assert.equal("maxWait", outcome.reason)
    assert.is_true(outcome.elapsed >= 1)
  end)
end)
