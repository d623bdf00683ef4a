---A chain of steps decides as one run does: delays, token, state, reason, acceptor, exit code, for random waits with holds,
---tolerated errors, bounded lateness, Retry-After, limits, and deadlines within an attempt.

local process = require "spec.support.process"

local SEEDS = tonumber(os.getenv "BIDE_CHAINS") or 300

describe("a chain of steps", function()
  it("is one run", function()
    local command = { process.bide, "exec", "--quiet", "spec/support/step_chain.lua", "1", tostring(SEEDS) }
    local done = process.run(command, { longest = 60 + SEEDS })
    assert.equal("", done.stderr)
    assert.no.matches("in a chain", done.stdout:sub(1, 2000))
    for _, met in ipairs {
      "steps", "early", "success_acceptor", "failure_acceptor", "failure_maxWait", "failure_maxAttempts",
      "failure_unmatchedError", "held_attempts", "held_time", "tolerated_attempts", "tolerated_time", "lateness",
      "retry_after", "cut",
    } do
      assert.matches(met .. "=%d", done.stdout)
    end
    assert.equal(0, done.code)
  end)
end)
