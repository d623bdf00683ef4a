---`exec bide process ProcessGone pid=$$` reported its own process, which runs, as gone: bide left itself out of what it found,
---even where one number was asked for.

local Workspace = require "spec.support.workspace"

describe("bide's own process", function()
  local workspace = Workspace.of_block()

  it("is not gone", function()
    local done = workspace:shell 'exec "$BIDE" process ProcessGone pid=$$ --max-wait 0.2s --quiet'
    done:says(124, "last seen: the process runs")
  end)
end)
