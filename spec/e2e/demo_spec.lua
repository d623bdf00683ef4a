local process = require "spec.support.process"
local processes = require "spec.support.processes"

describe("the demo", function()
  local mark

  before_each(function() mark = processes.mark() end)
  after_each(function() assert.equal(0, mark:count_after(0.2)) end)

  it("waits for a thing that comes to exist", function()
    local done = process.run({ process.lua, "docs/demo.lua", process.bide }, { env = mark.env })
    done:says(0, "error NotFound (404): no such thing", 'status is "pending"')
    assert.matches('ThingExists succeeded after %d+ attempts in [%d.]+ s: status is "success"\n$', done.stderr)
    assert.matches("\nfoo is there\n$", done.stdout)
  end)

  it("ends with what it saw when it is told to, and leaves nothing behind", function()
    local demo = process.start({ process.lua, "docs/demo.lua", process.bide }, { env = mark.env })
    demo:wait_for_output "error NotFound"
    demo:kill "sigint"
    assert.equal(130, demo:wait().code, demo.stderr)
    assert.matches("was cancelled after %d attempts? in .*last seen: error NotFound", demo.stderr)
  end)
end)
