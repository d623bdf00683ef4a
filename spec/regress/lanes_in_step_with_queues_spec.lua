---One counter chose the queue and the lane of a poll: of queues whose weights add up to 13, each was asked for the same lanes
---every time, and where there was more than enough to do, its other lanes starved.

local fairness = require "spec.support.fairness"

describe("a queue of weight 1 beside one of 12", function()
  it("gives turns of all its lanes", function()
    local store = { ahead = 0, claim = function(_, _, want)
      local turns = {}
      for position = 1, want.want do turns[position] = { id = position, input = ('{"lane":%d}'):format(want.lanes[1]) } end
      return 0, turns
    end }
    local shares = fairness.of(store, {}, { { name = "heavy", weight = 12 }, { name = "light", weight = 1 } }, 169, 1)
    assert.same({ 8, 4, 1 }, shares.light)
    assert.same({ 96, 48, 12 }, shares.heavy)
  end)
end)
