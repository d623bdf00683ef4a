---Progress called an attempt "cut off at the deadline" that was cancelled long before the deadline, by a signal or
---because another wait had decided the run.

local Workspace = require "spec.support.workspace"

local recipe = [[
return { GetThing = {
  call = function(input)
    require("bide").sleep(input.slow and 60 or 0.1)
    return {}
  end,
  waitable = { ThingDone = { acceptors = { { state = "success", matcher = { success = true } } } } },
} }
]]

describe("an attempt that was cancelled", function()
  local workspace = Workspace.of_block { ["things.lua"] = recipe }

  it("is called so where another wait decided", function()
    local done = workspace:bide { "run", "things.lua", "+", "things.lua", "slow=1", "--any", "--max-wait", "50s", "--verbose" }
    assert.equal(0, done.code)
    assert.matches("things#2: attempt 1, [%d.]+ s of 50 s: cancelled\n", done.stderr)
    assert.not_matches("deadline", done.stderr)
  end)

  it("is called so where a signal ended it", function()
    local words = { "run", "things.lua", "slow=1", "--max-wait", "50s" }
    local done = workspace:bide(words, { signal = "sigterm", caught_for = 0.4 })
    assert.equal(143, done.code)
    assert.matches("ThingDone: attempt 1, [%d.]+ s of 50 s: cancelled\n", done.stderr)
  end)

  it("is not what the deadline cuts", function()
    local done = workspace:bide { "run", "things.lua", "slow=1", "--max-wait", "200ms" }
    assert.equal(124, done.code)
    assert.matches("ThingDone: attempt 1, [%d.]+ s of 0.2 s: cut off at the deadline\n", done.stderr)
  end)
end)
