local Workspace = require "spec.support.workspace"
local json = require("bide.core").json

describe("the input matches", function()
  local workspace = Workspace.of_each()

  it("puts the groups of matches into the output", function()
    local outcome = workspace:outcome { "command", "echo version 12.3", "matches=(\\d+)\\.(\\d)(x)?", "--max-wait", "5s" }
    assert.same({ captures = { "12", "3", json.null } }, outcome.output)
    outcome = workspace:outcome { "command", [[echo '{"n": 1, "captures": 2}']], "matches=(\\d)", "--max-wait", "5s" }
    assert.same({ captures = { "1" }, n = 1 }, outcome.output)
    outcome = workspace:outcome { "command", "echo '[1]'", "matches=(\\d)", "--until", "[0] == `1`", "--max-wait", "5s" }
    assert.same({ 1 }, outcome.output)
    assert.matches("the output is not an object, and gets no member captures", outcome.history[1].note)
    outcome = workspace:outcome { "command", "echo 12", "matches=(..)", "--until", "captures[0]=13", "--max-wait", "200ms" }
    assert.equal("maxWait", outcome.reason)
  end)

  it("fails where an expression takes too long twice in a row", function()
    local words = { "command", "cat text", "matches=(a+)+[bc]|^ready", "--max-wait", "50s" }
    local long = ("a"):rep(60)
    workspace:write("text", long)
    local outcome, done = workspace:outcome(words)
    assert.same({ 1, 2, "acceptor" }, { done.code, outcome.attempts, outcome.reason })
    assert.matches("takes too long for this text, and does not match$", outcome.message)
    words[2] = "test -e second && echo ready || { touch second; cat text; }"
    outcome = workspace:outcome(words)
    assert.equal("success", outcome.state)
    assert.equal("MatchLimit", outcome.history[1].error.type)
  end)
end)
