local core = require "bide.core"
local duties = require "bide.record.worker.duties"
local workers = require "bide.record.worker"

describe("a worker whose store knows other turns", function()
  local worker, beats, during, cancelled

  before_each(function()
    beats, during, cancelled = 0, function() end, {}
    local store = { lease = 10000000, ahead = 0 }
    function store.beat()
      beats = beats + 1
      return cancelled, during(beats) ~= "same", 7000000000000
    end
    worker = workers.new(store, { name = "w", queues = { { name = "default", weight = 1 } }, jobs = 9, version = "0",
      kind = "trusted" })
    worker.me = { id = 1 }
  end)

  after_each(function() worker.lease_alarm:stop() end)

  ---Beats until that number: each time as a worker begins to.
  local function beat(count)
    for number = beats + 1, count do
      local task = core.task.start(duties.keep_lease, function() end, nil, worker, "unlimited")
      while beats < number do core.loop.turn() end
      task:cancel()
    end
  end

  it("notes what the store's clock is", function()
    local before = core.loop.update()
    beat(1)
    local passed = (core.loop.update() - before) * 1000
    local now = worker.clock:now()
    assert.is_true(now >= 7000000000000 - passed and now <= 7000000000000 + passed, now)
  end)

  it("drops what was cancelled, and nothing else", function()
    worker.turns, worker.held, cancelled = { [3] = { id = 3 }, [7] = { id = 7 } }, 2, { 7, 9 }
    beat(1)
    assert.same({ { [3] = { id = 3 } }, 1 }, { worker.turns, worker.held })
  end)

  it("is sure for half of a lease after it has sent a beat, whenever the answer comes", function()
    local sent = core.loop.update()
    during = function()
      local over <const> = core.loop.update() + 30
      repeat until core.loop.update() >= over
      return "same"
    end
    beat(1)
    local after = worker.sure_until - sent
    assert.is_true(after >= 5000 and after < 5030, after)
  end)

  it("compares what it holds at once if no verb is under way", function()
    beat(1)
    assert.is_true(worker.must_sync)
  end)

  it("waits beside a verb until the difference has lasted", function()
    worker.begun = 1
    beat(4)
    assert.is_false(worker.must_sync)
    beat(5)
    assert.is_true(worker.must_sync)
  end)

  it("waits if a verb was under way for a part of the beat", function()
    function during() worker.begun, worker.ended = worker.begun + 1, worker.ended + 1 end
    beat(4)
    assert.is_false(worker.must_sync)
  end)

  it("forgets a difference that has not lasted", function()
    worker.begun = 1
    function during(number) return number % 3 == 0 and "same" or nil end
    beat(9)
    assert.is_false(worker.must_sync)
  end)
end)
