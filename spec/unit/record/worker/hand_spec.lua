local hand = require "bide.record.worker.hand"
local limits = require("bide.core").limits
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

  ---Takes turns with documents of that many bytes into the hand, and returns how much may be claimed then.
  local function take(count, bytes)
    for _ = 1, count do hand.hold(worker, { { id = worker.held + 1, input = ("x"):rep(bytes) } }, "q") end
    return hand.room_once_written(worker)
  end

  it("has room for a number of turns, and of bytes of their documents", function()
    worker.rest = limits.used()
    local most = verbs.most.claimed
    assert.same({ 7, most }, { take(2, most) })
    assert.same({ 6, 5 }, { take(1, 6 * most - 5) })
    assert.equal(0, (take(1, 5)))
    assert.equal(0, hand.room(worker))
    hand.drop(worker, worker.hand[4])
    hand.finish(worker, worker.hand[3])
    assert.same({ 7, 5 }, { hand.room_once_written(worker) })
    hand.drop_all(worker)
    assert.same({ 9, most, 0 }, { table.pack(hand.room_once_written(worker))[1], most, worker.bytes })
  end)

  it("has no room once the process takes too much memory for it, and some for one turn in any case", function()
    local other = {}
    for number = 1, 30 do other[number] = ("x"):rep((1 << 20) + number) end
    worker.rest = 0
    assert.equal(0, (take(1, 1)))
    worker.rest = limits.used()
    assert.equal(8, hand.room(worker))
    worker.rest = 0
    hand.drop_all(worker)
    assert.equal(9, hand.room(worker)) -- what is taken with empty hands is not for what they hold
    assert.is_true(worker.rest > #other << 20)
    assert.equal(8, (take(1, 1)))
  end)

  it("has to be written once as much was decided as is written at a time", function()
    for id = 1, verbs.most.turns do
      assert.is_false(hand.must_write(worker))
      worker.results[id] = { turn = hold(id), id = id, keep = true }
    end
    assert.is_true(hand.must_write(worker))
  end)

  it("lets one attempt begin at a time after a large end, and none until much of them is written and collected", function()
    local outcome = { id = 1, turn = hold(1), state = "success", outcome = ("x"):rep(verbs.most.written // 2) }
    assert.equal(math.huge, hand.room_to_decide(worker))
    hand.decide(worker, worker.outcomes, outcome)
    assert.equal(1, hand.room_to_decide(worker))
    hand.decide(worker, worker.outcomes, outcome)
    assert.equal(0, hand.room_to_decide(worker))
    hold(2)
    assert.is_true(hand.must_write(worker))
    hand.forget(worker, worker.outcomes)
    assert.same({ 0, true }, { worker.decided, hand.has_garbage(worker) })
    assert.equal(0, hand.room_to_decide(worker))
    worker.garbage = 0
    assert.equal(1, hand.room_to_decide(worker))
    hand.decide(worker, worker.results, { id = 2, turn = hold(2), state = "s" })
    assert.equal(math.huge, hand.room_to_decide(worker))
  end)
end)
