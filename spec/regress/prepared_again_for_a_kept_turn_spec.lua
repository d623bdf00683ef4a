---A worker prepared the operation anew for each attempt of a turn that it kept, so that what it counts began again; and a
---sandboxed worker ended, since the code of a recipe may not wait there.

local Workspace = require "spec.support.workspace"

local workspace = Workspace.of_each()

it("prepares the operation once while a worker keeps the turn", function()
  workspace:write("counting.lua", [[
    return { Count = {
      prepare = function()
        local count = 0
        return function()
          count = count + 1
          return { state = count >= 3 and "done" or "waiting" }
        end
      end,
      waitable = { Counted = { minDelay = 0.02, maxDelay = 0.05, acceptors = {
        { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "done" } } },
      } } },
    } }]])
  local done = workspace:bide { "run", "counting.lua", "--max-attempts", "5", "--max-wait", "20s", "--store", "s.db", "--work",
    "--quiet" }
  done:prints(0, "after 3 attempts")
end)
