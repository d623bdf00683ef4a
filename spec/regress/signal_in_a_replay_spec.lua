---Under the virtual clock nothing keeps libuv's loop alive, and a loop that is not
---alive does not look for signals: a long replay could not be interrupted.

local json = require("bide.core").json
local Workspace = require "spec.support.workspace"

describe("a signal", function()
  local workspace = Workspace.of_block()

  it("ends a replay, and the partial outcome is printed", function()
    local words = workspace:replay_of('[{"state": "success", "matcher": {"success": false}}]', { '{"output": 1}' },
      "--max-wait", "10000000000", "--max-delay", "2s", "--verbose", "--output", "json", "--events", "events.jsonl")
    local running = workspace:start(words)
    running:wait_for_output "attempt 1,"
    running:kill "sigterm"
    assert.equal(143, running:wait().code)
    assert.equal("cancelled", json.decode(running.stdout).reason)
  end)
end)
