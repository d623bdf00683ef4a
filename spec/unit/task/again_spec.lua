local again = require "bide.task.again"
local core = require "bide.core"

describe("trying again", function()
  ---Runs f in a task of its own; returns what it returned or raised, and the time that it took.
  local function run(f)
    local ended
    local began = core.loop.update()
    core.task.start(f, function(_, how, ...) ended = { how, core.loop.now() - began, ... } end)
    while not ended do core.loop.turn() end
    return ended
  end

  it("gives the results of the first try that has no pause, nil and false included", function()
    local ended = run(function() return again(function() return nil, nil, false, 3 end) end)
    assert.same({ "returned", nil, false, 3 }, { ended[1], ended[3], ended[4], ended[5] })
  end)

  it("waits for the pause that each try asks for", function()
    local pauses, tries = { 5, 0, 10 }, 0
    local ended = run(function()
      return again(function()
        tries = tries + 1
        if pauses[tries] then return pauses[tries] end
        return nil, "done"
      end)
    end)
    assert.same({ "returned", "done" }, { ended[1], ended[3] })
    assert.is_true(ended[2] >= 15, ended[2])
    assert.equal(4, tries)
  end)

  it("ends with the error of a try", function()
    assert.equal("raised", run(function() again(function() error("broken") end) end)[1])
  end)
end)
