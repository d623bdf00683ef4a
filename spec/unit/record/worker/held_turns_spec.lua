local held_turns = require "bide.record.worker.held_turns"
local limits = require("bide.core").limits
local verbs = require "bide.record.store.verbs"
local workers = require "bide.record.worker"

describe("the turns that a worker holds", function()
  local worker

  before_each(function()
    worker = workers.new({}, { name = "w", queues = {}, jobs = 9, version = "0", kind = "trusted" })
  end)

  local function hold(id)
    worker.turns[id], worker.held = { id = id }, worker.held + 1
    return worker.turns[id]
  end

  it("has to be written once nothing more comes of it", function()
    local first, second = hold(1), hold(2)
    assert.is_false(held_turns.must_write(worker))
    worker.outcomes[1] = { turn = first, id = 1 }
    held_turns.finish(worker, first)
    assert.is_false(held_turns.must_write(worker))
    worker.results[1] = { turn = second, id = 2 }
    held_turns.finish(worker, second)
    assert.is_true(held_turns.must_write(worker))
    hold(3)
    assert.is_false(held_turns.must_write(worker))
  end)

  ---Takes turns with documents of that many bytes, and returns how much may be claimed then.
  local function take(count, bytes)
    for _ = 1, count do held_turns.hold(worker, { { id = worker.held + 1, input = ("x"):rep(bytes) } }, "q") end
    return held_turns.room_once_written(worker)
  end

  it("has room for a number of turns, and of bytes of their documents", function()
    worker.rest = limits.used()
    local most = verbs.most.claimed
    assert.same({ 7, most }, { take(2, most) })
    assert.same({ 6, 5 }, { take(1, 6 * most - 5) })
    assert.equal(0, (take(1, 5)))
    assert.equal(0, held_turns.room(worker))
    held_turns.drop(worker, worker.turns[4])
    held_turns.finish(worker, worker.turns[3])
    assert.same({ 7, 5 }, { held_turns.room_once_written(worker) })
    held_turns.drop_all(worker)
    assert.same({ 9, most, 0 }, { table.pack(held_turns.room_once_written(worker))[1], most, worker.bytes })
  end)

  it("has no room once the process takes too much memory for it, and some for one turn in any case", function()
    local other = {}
    for number = 1, 30 do other[number] = ("x"):rep((1 << 20) + number) end
    worker.rest = 0
    assert.equal(0, (take(1, 1)))
    worker.rest = limits.used()
    assert.equal(8, held_turns.room(worker))
    worker.rest = 0
    held_turns.drop_all(worker)
    assert.equal(9, held_turns.room(worker)) -- what is taken with empty hands is not for what they hold
    assert.is_true(worker.rest > #other << 20)
    assert.equal(8, (take(1, 1)))
  end)

  it("has to be written once as much was decided as is written at a time", function()
    for id = 1, verbs.most.turns do
      assert.is_false(held_turns.must_write(worker))
      worker.results[id] = { turn = hold(id), id = id, keep = true }
    end
    assert.is_true(held_turns.must_write(worker))
  end)

  it("lets one attempt begin at a time after a large end, and none until much of them is written and collected", function()
    local outcome = { id = 1, turn = hold(1), state = "success", outcome = ("x"):rep(verbs.most.written // 2) }
    assert.equal(math.huge, held_turns.room_to_decide(worker))
    held_turns.decide(worker, worker.outcomes, outcome)
    assert.equal(1, held_turns.room_to_decide(worker))
    held_turns.decide(worker, worker.outcomes, outcome)
    assert.equal(0, held_turns.room_to_decide(worker))
    hold(2)
    assert.is_true(held_turns.must_write(worker))
    held_turns.forget(worker, worker.outcomes)
    assert.same({ 0, true }, { worker.decided, held_turns.has_garbage(worker) })
    assert.equal(0, held_turns.room_to_decide(worker))
    worker.garbage = 0
    assert.equal(1, held_turns.room_to_decide(worker))
    held_turns.decide(worker, worker.results, { id = 2, turn = hold(2), state = "s" })
    assert.equal(math.huge, held_turns.room_to_decide(worker))
  end)

  it("is served by a store that answers on both connections, or counts as away", function()
    held_turns.on_success(worker)
    assert.is_true(worker.metrics.is_up)
    worker.unanswered.reap = true
    held_turns.on_success(worker)
    assert.is_false(worker.metrics.is_up)
    worker.unanswered.reap, worker.has_warned = nil, true
    held_turns.on_failure(worker, { kind = "away", message = "" })
    assert.is_false(worker.metrics.is_up)
  end)
end)
