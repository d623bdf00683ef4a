---A hold by time continued across a restart of the machine whose clock was behind: the time that nobody had looked counted as
---none, and not as a break.

local Workspace = require "spec.support.workspace"
local journal = require "spec.support.journal"

local words = { "command", "true", "--hold", "4s", "--interval", "50ms", "--max-wait", "50s", "--journal", "j", "--verbose" }

describe("a hold", function()
  local workspace = Workspace.of_each()

  it("begins anew after a restart of the machine with the clock behind", function()
    local started = workspace:start(words)
    started:wait_for_output "attempt 20," -- at least a second of the hold is over
    started:kill "sigkill"
    started:wait()
    journal.query(workspace.path .. "/j", "UPDATE wait SET boot = 'another', wall = wall + 3600000")
    local resumed = table.move(words, 1, #words, 1, {})
    resumed[#resumed + 1] = "--resume"
    local done = workspace:bide(resumed)
    done:says(0, "the wall clock was set back")
    assert.is_true(done.elapsed >= 4, ("held for %g s of 4 s"):format(done.elapsed))
  end)
end)
