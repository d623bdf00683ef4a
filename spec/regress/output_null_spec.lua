---An operation that returned bide.null, as a replay of {"output": null} does,
---made bide index the metatable that a light userdata lacks.

local Workspace = require "spec.support.workspace"

describe("an output that is null", function()
  local workspace = Workspace.of_block()

  it("is an output that no path matches", function()
    local words = workspace:replay_of(
      [=[[{"state": "failure", "matcher": {"output": {"path": "@", "comparator": "stringEquals", "expected": ""}}},
        {"state": "failure", "matcher": {"output": {"path": "@", "comparator": "booleanEquals", "expected": "false"}}},
        {"state": "success", "matcher": {"output": {"path": "a", "comparator": "stringEquals", "expected": "b"}}}]]=],
      { '{"output": null}', '{"output": {"a": "b"}}' }, "--max-wait", "50s")
    local outcome, done = workspace:outcome(words)
    assert.equal(0, done.code)
    assert.equal(3, outcome.acceptor)
    assert.equal(2, outcome.attempts)
  end)
end)
