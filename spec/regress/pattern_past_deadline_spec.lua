---A pattern that backtracks for longer than the wait may last ended bide without an outcome: only the searches of
---untrusted scripts were stopped.

local Workspace = require "spec.support.workspace"

describe("a pattern that backtracks", function()
  local workspace

  before_each(function() workspace = Workspace.make() end)
  after_each(function() workspace:remove() end)

  it("is cut by the deadline, which gives an outcome", function()
    local text, pattern = ("a"):rep(50000), ("a*"):rep(12) .. "b"
    local outcome, done = workspace:outcome { "run", "command", "echo " .. text, "matches=" .. pattern, "--max-wait", "300ms" }
    assert.equal(124, done.code, done.stderr)
    assert.equal("maxWait", outcome.reason)
  end)
end)
