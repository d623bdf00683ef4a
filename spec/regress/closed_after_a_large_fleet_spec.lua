---A task that was cancelled has 40 ms for its `__close` functions. Abandoning a large fleet used them up, and the
---`__close` functions of the script around it were left out.

local bide = require "bide"
local core = require "bide.core"

local WAITS = 60000

local things = bide.waiter {
  name = "Things",
  call = function() return { status = "pending" } end,
  acceptors = {
    { state = "success", matcher = { output = { path = "status", expected = "done", comparator = "stringEquals" } } },
  },
}

describe("a task that is cancelled around a large fleet", function()
  it("closes what its script has opened, too", function()
    local many, closed = {}, false
    for i = 1, WAITS do many[i] = things:prepare({}, { maxWait = 60, minDelay = 30, maxDelay = 30, initialDelay = 30 }) end
    local fleet = bide.spawn(function()
      local _outer <close> = setmetatable({}, { __close = function() closed = true end })
      return bide.all(many)
    end)
    bide.sleep(0.05)
    fleet:cancel()
    pcall(fleet.join, fleet)
    while core.task.count() > 0 do core.loop.turn() end
    assert.is_true(closed)
  end)
end)
