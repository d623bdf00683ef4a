---`bide test` ended with "it ran for more than 10 s without waiting" where the processes that it ran cases in lasted longer:
---it read what they wrote without waiting.

local Workspace = require "spec.support.workspace"

describe("bide test", function()
  local workspace = Workspace.of_each()

  it("waits for its processes as long as they last", function()
    workspace:write("slow.lua", ([[
      return { Get = {
        call = function(input)
          if input.fifo then io.open("%s/" .. input.fifo):close() end
          return {}
        end,
        waitable = { Got = { acceptors = { { state = "success", matcher = { success = true } } } } },
      } }]]):format(workspace.path))
    workspace:write("slow.wait.lua", [[
      local cases = { recipe = "./slow.lua" }
      for number = 1, 4 do
        local fifo = number % 2 == 0 and "fifo" .. number or nil
        cases[number] = { name = "case " .. number, input = { fifo = fifo }, exchanges = {},
          expect = { state = "success", attempts = 1 } }
      end
      return cases]])
    local done = workspace:shell("mkfifo fifo2 fifo4; (for i in 2 4; do sleep 6; : > fifo$i; done) & "
      .. "$BIDE test slow.wait.lua --jobs 2; code=$?; kill $! 2>/dev/null; exit $code")
    done:prints(0, "4 cases, 0 failed")
  end)
end)
