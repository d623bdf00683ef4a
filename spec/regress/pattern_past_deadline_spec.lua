---A pattern that backtracks for longer than the wait may last ended bide without an outcome: only the searches of
---untrusted scripts were stopped.

local Workspace = require "spec.support.workspace"

describe("a pattern that backtracks", function()
  local workspace = Workspace.of_each()

  local words = { "run", "command", "echo " .. ("a"):rep(50000), "matches_lua=" .. ("a*"):rep(12) .. "b", "--max-wait" }

  it("is cut by the deadline, which gives an outcome", function()
    words[6] = "300ms"
    local outcome, done = workspace:outcome(words)
    assert.equal(124, done.code, done.stderr)
    assert.equal("maxWait", outcome.reason)
  end)

  it("is ended by a signal", function()
    words[6] = "50s"
    local outcome, done = workspace:outcome(words, { signal = "sigint", caught_for = 0.5 })
    assert.equal(130, done.code, done.stderr)
    assert.equal("cancelled", outcome.reason)
  end)
end)
