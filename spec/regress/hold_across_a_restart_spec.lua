---A hold by time continued across a restart of the machine whose clock was behind: the time that nobody had looked counted as
---none, and not as a break.

local Workspace = require "spec.support.workspace"
local journal = require "spec.support.journal"
local uv = require "luv"

local words = { "command", "true", "--hold", "1500ms", "--interval", "50ms", "--max-wait", "30s", "--journal", "j", "--quiet" }

describe("a hold", function()
  local workspace = Workspace.of_each()

  it("begins anew after a restart of the machine with the clock behind", function()
    local started = workspace:start(words)
    local timer = uv.new_timer()
    timer:start(1200, 0, function() started:kill "sigkill" end)
    started:wait()
    timer:close()
    journal.query(workspace.path .. "/j", "UPDATE wait SET boot = 'another', wall = wall + 3600000")
    local resumed = table.move(words, 1, #words, 1, {})
    resumed[#resumed + 1] = "--resume"
    local done = workspace:bide(resumed)
    done:says(0, "the wall clock was set back")
    assert.is_true(done.elapsed >= 1.5, ("held for %g s of 1.5 s"):format(done.elapsed))
  end)
end)
