local process = require "spec.support.process"
local processes = require "spec.support.processes"

describe("the demo", function()
  local mark

  before_each(function() mark = processes.mark() end)
  after_each(function() assert.equal(0, mark:count_after(0.2)) end)

  local function run(options)
    options.env = mark.env
    return process.run({ process.lua, "docs/demo.lua", process.bide }, options)
  end

  it("waits for a thing that comes to exist", function()
    local done = run {}
    done:says(0, "error NotFound (404): no such thing", 'status is "pending"')
    assert.matches('ThingExists succeeded after %d+ attempts in [%d.]+ s: status is "success"\n$', done.stderr)
    assert.matches("\nfoo is there\n$", done.stdout)
  end)

  it("ends with what it saw when it is told to, and leaves nothing behind", function()
    local done = run { signal = "sigint", caught_for = 0.7 }
    assert.equal(130, done.code, done.stderr)
    assert.matches("was cancelled after %d attempts? in .*last seen: error NotFound", done.stderr)
    assert.is_true(done.elapsed < 3.5, done.elapsed)
  end)
end)
