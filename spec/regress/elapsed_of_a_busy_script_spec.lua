---A script that never let the loop turn was said to have taken no time: the
---outcome was measured on a clock that had not been read since.

local Workspace = require "spec.support.workspace"
local timely = require "spec.support.timely"

describe("a wait whose operation never yields", function()
  local workspace = Workspace.of_block()

  it("tells the time that it took", function()
    workspace:write("recipe.lua", [[return { Op = {
      call = function() while true do end end,
      waitable = { Done = { acceptors = { { state = "success", matcher = { success = true } } } } },
    } }]])
    timely.within(0.3, function()
      local outcome, done = workspace:outcome { "run", "recipe.lua", "--max-wait", "200ms" }
      assert.equal(124, done.code)
      assert.is_true(outcome.elapsed >= 0.2, outcome.elapsed)
      local attempt = outcome.history[1]
      assert.is_true(attempt.at + attempt.duration >= 0.2 - 1e-9, attempt.duration)
      return outcome.elapsed
    end)
  end)
end)
