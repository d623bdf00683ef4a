---A retryAfter that is not a time, such as 0/0 of a script, is ignored: it is neither a fault of bide nor a delay.

local Workspace = require "spec.support.workspace"

describe("an operation error with an odd retryAfter", function()
  local workspace = Workspace.of_block()

  for _, odd in ipairs { "0 / 0", "math.huge", "-math.huge", "-1", "'soon'", "{}", "true" } do
    it("is an error like any other: " .. odd, function()
      workspace:write("odd.lua", ([[
local asked = 0
return { Ask = { call = function()
  asked = asked + 1
  if asked == 1 then error({ type = "Busy", retryAfter = %s }, 0) end
  return {}
end, waitable = { Asked = { minDelay = 0.01, maxDelay = 0.01, acceptors = {
  { state = "success", matcher = { success = true } }, { state = "retry", matcher = { errorType = "Busy" } } } } } } }
]]):format(odd))
      local outcome = workspace:outcome { "run", "odd.lua", "--max-wait", "50s" }
      assert.same({ "success", 2 }, { outcome.state, outcome.attempts })
      assert.near(0.01, outcome.history[1].delay, 1e-6)
    end)
  end
end)
