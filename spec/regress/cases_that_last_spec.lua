---`bide test` ended with "it ran for more than 10 s without waiting" where the processes that it ran cases in lasted longer:
---it read what they wrote without waiting.

local Workspace = require "spec.support.workspace"

describe("bide test", function()
  it("waits for its processes as long as they last", function()
    local workspace = Workspace.make()
    workspace:write("slow.lua", ([[
      return { Get = {
        call = function(input)
          if input.slow then io.open("%s/fifo"):close() end
          return {}
        end,
        waitable = { Got = { acceptors = { { state = "success", matcher = { success = true } } } } },
      } }]]):format(workspace.path))
    workspace:write("slow.wait.lua", [[
      local cases = { recipe = "./slow.lua" }
      for number = 1, 4 do
        cases[number] = { name = "case " .. number, input = { slow = number % 2 == 0 }, exchanges = {},
          expect = { state = "success", attempts = 1 } }
      end
      return cases]])
    local done = workspace:shell("mkfifo fifo; (for i in 1 2; do sleep 6; : > fifo; done) & "
      .. "$BIDE test slow.wait.lua --jobs 2; code=$?; wait; exit $code")
    workspace:remove()
    assert.equal(0, done.code, done.stdout .. done.stderr)
    assert.matches("4 cases, 0 failed", done.stdout, 1, true)
  end)
end)
