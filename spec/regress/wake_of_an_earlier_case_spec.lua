---The event of an answer, which was still to come when its case had ended, woke the wait of the next case.

local Workspace = require "spec.support.workspace"

describe("an event of a case that has ended", function()
  local workspace = Workspace.of_block()

  it("wakes no wait of the next case", function()
    workspace:write("jobs.lua", [[
      local acceptor = require "bide.acceptor"
      return { Get = { call = error, waitable = { JobDone = { minDelay = 10, maxDelay = 10, acceptors = {
        acceptor.output("success", "state", "done") } } } } }]])
    workspace:write("jobs.wait.lua", [[
      local done, queued = { state = "done" }, { state = "queued" }
      return { recipe = "./jobs.lua",
        { name = "first", waiter = "JobDone", answers = { { output = done, wake = 3 } },
          expect = { state = "success", attempts = 1 } },
        { name = "second", waiter = "JobDone", answers = { { output = queued }, { output = done } },
          expect = { state = "success", delays = { 10 }, events = { { attempt = 2, at = 10 } } } },
      }]])
    workspace:shell([["$BIDE" test jobs.wait.lua --jobs 1]]):ends(0)
  end)
end)
