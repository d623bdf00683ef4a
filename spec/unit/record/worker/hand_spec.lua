local hand = require "bide.record.worker.hand"
local verbs = require "bide.record.store.verbs"
local workers = require "bide.record.worker"

describe("the hand of a worker", function()
  local worker

  before_each(function()
    worker = workers.new({}, { name = "w", queues = {}, jobs = 9, version = "0", kind = "trusted" })
  end)

  local function hold(id)
    worker.hand[id], worker.held = { id = id }, worker.held + 1
    return worker.hand[id]
  end

  it("has to be written once nothing more comes of it", function()
    local first, second = hold(1), hold(2)
    assert.is_false(hand.must_write(worker))
    worker.outcomes[1] = { turn = first, id = 1 }
    hand.finish(worker, first)
    assert.is_false(hand.must_write(worker))
    worker.results[1] = { turn = second, id = 2 }
    hand.finish(worker, second)
    assert.is_true(hand.must_write(worker))
    hold(3)
    assert.is_false(hand.must_write(worker))
  end)

  it("has to be written once as much was decided as is written at a time", function()
    for id = 1, verbs.most.turns do
      assert.is_false(hand.must_write(worker))
      worker.results[id] = { turn = hold(id), id = id, keep = true }
    end
    assert.is_true(hand.must_write(worker))
  end)
end)
