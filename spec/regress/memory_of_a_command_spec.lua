---Memory that ran out was told as something else: as a module that is not found, a mistake in the recipe, the
---operation error nil, a script that waits for what can never happen; and a path for which there was no memory
---did not match, so that another acceptor could.

local allocations = require "spec.support.allocations"
local Workspace = require "spec.support.workspace"

local recipe = [[
require "bide.expect"
return {
  GetThing = {
    call = function() return {} end,
    waitable = { ThingExists = { acceptors = {
      { state = "failure", matcher = { output = { path = "tags[?contains(@, 'bad')] | [0]", comparator = "stringEquals",
        expected = "bad thing" } } },
      { state = "success", matcher = { success = true } },
    } } },
  },
}
]]

local STRIDE = 151 -- make sweep takes every one

describe("memory that runs out", function()
  local workspace = Workspace.of_block {
    ["things.lua"] = recipe, ["answers.jsonl"] = '{"output": {"tags": ["good", "bad thing"]}}\n',
  }

  for _, words in ipairs {
    { "query", "a[*].b", "answers.jsonl" }, { "list", "things.lua" },
    { "replay", "things.lua", "ThingExists", "answers.jsonl", "--max-wait", "1m", "--quiet" },
  } do
    it("is exit code 70 in bide " .. words[1], function()
      if allocations.lack then return pending(allocations.lack) end
      local whole, report = allocations.run(workspace, words, "own", 0)
      for number = 1, report.counted, STRIDE do
        local done = allocations.run(workspace, words, "own", number)
        if done.code ~= whole.code then
          assert.same({ 70, number }, { done.code, number })
          assert.matches("not enough memory", done.stderr, 1, true)
        else
          assert.equal(whole.stdout, done.stdout)
        end
      end
    end)
  end
end)
