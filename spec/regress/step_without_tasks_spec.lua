---A task that is cancelled goes in front of the queue and is ended in the very step
---that cancelled it; the step that was asked for it then found an empty queue.

local core = require "bide.core"

local loop, task = core.loop, core.task

describe("cancelling from within a step", function()
  it("leaves no step behind", function()
    local ended = 0
    local function count() ended = ended + 1 end
    local function pause() task.pause(task.waker()) end
    local sleeper = task.start(pause, count)
    loop.turn()
    task.start(function() sleeper:cancel() end, count)
    task.start(function() end, count)
    while ended < 3 do loop.turn() end
    assert.equal(0, loop.timer_count())
    loop.turn()
  end)
end)
