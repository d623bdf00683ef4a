---Of a duration in seconds replay made a millisecond too many where the double lies above the decimal number,
---so that an answer exactly at the deadline came too late.

local Workspace = require "spec.support.workspace"

local recipe = [[
return { GetThing = { waitable = { ThingExists = { minDelay = 1, maxDelay = 1, acceptors = {
  { state = "success", matcher = { output = { path = "s", comparator = "stringEquals", expected = "ok" } } },
} } } } }
]]

describe("a replayed duration", function()
  local workspace = Workspace.of_block { ["things.lua"] = recipe }

  for _, seconds in ipairs { "2.019", "16.245", "260.922", "2.018" } do
    it("is what the line says: " .. seconds, function()
      workspace:write("answers.jsonl", ('{"output": {"s": "ok"}, "duration": %s}\n'):format(seconds))
      local outcome, done = workspace:outcome { "replay", "things.lua", "ThingExists", "answers.jsonl",
        "--max-wait", seconds .. "s" }
      assert.equal(0, done.code)
      assert.equal(tonumber(seconds), outcome.history[1].duration)
      assert.equal(tonumber(seconds), outcome.elapsed)
    end)
  end
end)
