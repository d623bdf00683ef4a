---A folder that was deleted and made again often has the number of the first one: its watch was taken for that of the new
---one, and heard nothing any more.

local Workspace = require "spec.support.workspace"

describe("a folder that is made again with the number of the one before", function()
  local workspace = Workspace.of_block()

  it("is watched anew", function()
    workspace:shell "mkdir folder"
    local running = workspace:start { "file", "folder/file", "--interval", "60s", "--max-wait", "150s", "--verbose",
      "--output", "json" }
    running:wait_for_output "attempt 2" -- its watch is there
    running:kill "sigstop" -- so that it sees both at once
    workspace:shell "rmdir folder && mkdir folder"
    running:kill "sigcont"
    workspace:shell "sleep 0.3; : >folder/file"
    running:wait()
    assert.equal(0, running.code, running.stderr)
    assert.is_true(running.elapsed < 50)
  end)
end)
