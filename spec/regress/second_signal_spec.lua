---One long call of C cannot be interrupted, and a signal was noted for later each
---time it came: nothing but SIGKILL ended such a process.

local Workspace = require "spec.support.workspace"

describe("a second signal", function()
  local workspace = Workspace.of_block()

  it("ends bide at once where the first one could not be heeded", function()
    workspace:write("script.lua", [[
      io.stderr:write("begun\n")
      string.find(("a"):rep(64), ("a*"):rep(64) .. "b")]])
    local running = workspace:start { "exec", "script.lua" }
    running:wait_for_output("begun")
    running:kill("sigint")
    running:kill("sigterm")
    assert.is_true(({ [130] = true, [143] = true })[running:wait().code])
  end)
end)
