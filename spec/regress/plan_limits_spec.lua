---A plan refused a latency of 0, which it has by itself, and did not call the
---retry that uses up the attempts the last one.

local Workspace = require "spec.support.workspace"

describe("bide plan", function()
  local workspace = Workspace.of_block()

  setup(function()
    workspace:write("trait.json", '{"Done": {"acceptors": [{"state": "success", "matcher": {"success": true}}]}}')
  end)

  for _, latency in ipairs { "0", "0s", "0ms" } do
    it("takes a latency of " .. latency, function()
      local words = { "plan", "trait.json", "--max-wait", "5m", "--seed", "1" }
      local without = workspace:bide(words)
      words[#words + 1] = "--latency=" .. latency
      local with = workspace:bide(words)
      assert.same({ 0, without.stdout }, { with.code, with.stdout }, with.stderr)
    end)
  end

  it("ends with the last attempt that is allowed", function()
    local done = workspace:bide { "plan", "trait.json", "--max-wait", "5m", "--max-attempts", "3" }
    assert.matches("\n2 %(last attempt%) +%S+ +%S+ +N/A.-\n\nPolls: at least 3, at most 3\n", done.stdout)
  end)
end)
