---A coroutine that was closed within xpcall went back to the pool with the handler
---of that xpcall still set: the next error in it became "error in error handling".

local core = require "bide.core"

local loop, task = core.loop, core.task

describe("a task that raises", function()
  it("is told what was raised, whatever was closed before it", function()
    local raised = {}
    local function ended(_, _, value) raised[#raised + 1] = value or "cancelled" end
    local function wait() task.pause(task.waker()) end
    local sleeper = task.start(function() xpcall(wait, debug.traceback) end, ended)
    loop.turn()
    sleeper:cancel()
    while #raised < 1 do loop.turn() end
    for _ = 1, 5 do task.start(function() error({ type = "NotFound" }) end, ended) end
    while #raised < 6 do loop.turn() end
    for i = 2, 6 do assert.same({ type = "NotFound" }, raised[i]) end
  end)
end)
