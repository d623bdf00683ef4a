---A multi-select went on with the projection that it stood in, so that `structs[].[p, p][1]` was the second
---p of each element, and a waiter succeeded on it. In the reference the multi-select ends the projection.

local Workspace = require "spec.support.workspace"

local recipe = [[
return { GetThing = { waitable = { ThingExists = { minDelay = 1, maxDelay = 1, acceptors = {
  { state = "success", matcher = { output = {
    path = "structs[].[p, p][1]", comparator = "anyStringEquals", expected = "done" } } },
} } } } }
]]

describe("a multi-select behind a projection", function()
  local workspace = Workspace.of_block { ["things.lua"] = recipe }

  local function replay(document)
    workspace:write("answers.jsonl", '{"output": ' .. document .. "}\n")
    local outcome = workspace:outcome { "replay", "things.lua", "ThingExists", "answers.jsonl", "--max-wait", "3s" }
    return outcome.state
  end

  it("ends it, so that an index picks one of its lists", function()
    assert.equal("failure", replay '{"structs": [{"p": "done"}, {"p": "busy"}]}')
    assert.equal("success", replay '{"structs": [{"p": "busy"}, {"p": "done"}]}')
  end)

  it("is reported by --check where it is a hash, which some implementations take otherwise", function()
    workspace:bide({ "query", "--check", "structs[].{n: p}.n" }):prints(1, "warning: the multi-select hash ends the projection")
    assert.equal(0, workspace:bide({ "query", "--check", "structs[].[p][0]" }).code)
  end)
end)
