local calls = require "bide.record.worker.calls"
local claimed = require "bide.record.worker.claimed"
local core = require "bide.core"
local held_turns = require "bide.record.worker.held_turns"
local verbs = require "bide.record.store.verbs"
local workers = require "bide.record.worker"

describe("a worker that writes what attempts have decided", function()
  local written, refused, meanwhile, has_opened, worker

  before_each(function()
    written, refused, meanwhile, has_opened = {}, {}, function() end, false
    local function verb(name)
      return function(_, _, list)
        local ids = {}
        for _, one in ipairs(list) do
          if not refused[one.id] then ids[#ids + 1] = one.id end
          written[#written + 1] = ("%s %d %d"):format(name, one.id, one.attempts)
        end
        meanwhile()
        return ids, name == "finish" and has_opened
      end
    end
    worker = workers.new({ ahead = 0, settle = verb "settle", finish = verb "finish" },
      { name = "w", queues = { { name = "default", weight = 1 } }, jobs = 9, version = "0", kind = "trusted" })
    worker.me = { id = 1 }
  end)

  ---What an attempt of a turn has decided.
  local function of(id, attempts)
    worker.turns[id] = worker.turns[id] or { id = id }
    worker.turns[id].attempts = attempts
    return { turn = worker.turns[id], id = id, attempts = attempts, keep = true, bytes = 1 }
  end

  ---The end that an attempt of a turn has decided.
  local function end_of(id, attempts)
    local known = worker.turns[id] and worker.turns[id].attempts
    local ending = of(id, attempts)
    ending.turn.attempts = known or attempts - 1
    ending.turn.ending, ending.turn.wait = ending, false
    return ending
  end

  it("writes nothing of a turn that was dropped and claimed again", function()
    worker.results, worker.outcomes = { of(1, 4), of(2, 1) }, { end_of(3, 2) }
    worker.turns[1], worker.turns[3] = { id = 1 }, nil
    assert.is_true(calls.flush(worker))
    assert.same({ "settle 2 1" }, written)
  end)

  it("writes no end of a turn whose result was refused", function()
    worker.results, worker.outcomes = { of(1, 4), of(2, 1) }, { end_of(1, 5), end_of(2, 2) }
    refused[1] = true
    assert.is_true(calls.flush(worker))
    assert.same({ "settle 1 4", "settle 2 1", "finish 2 2" }, written)
    assert.is_nil(worker.turns[1])
  end)

  it("counts what the store refuses, what made it enter anew, and strikes", function()
    worker.results, worker.outcomes = { of(1, 4), of(2, 1) }, { end_of(3, 2) }
    refused[1], refused[3] = true, true
    assert.is_true(calls.flush(worker))
    held_turns.on_failure(worker, { kind = "expired" }, worker.me)
    assert.matches("\nbide_doubles_refused_total 2\n.*\nbide_expired_total 1\n.*\nbide_strikes_total 0\n", worker.metrics:text())
    assert.is_nil(worker.me)
  end)

  it("writes an end that was decided while an earlier result of its turn was written", function()
    worker.results = { of(1, 4) }
    meanwhile = function()
      if #written == 1 then worker.outcomes = { end_of(1, 4) } end -- its deadline passed: no further attempt
    end
    assert.is_true(calls.flush(worker))
    assert.same({ "settle 1 4", "finish 1 4" }, written)
    assert.is_nil(worker.turns[1])
  end)

  it("releases no turn before the last that it has decided is written, when its lease may be over", function()
    worker.results = { of(1, 4), of(1, 5), of(2, 1), of(3, 7) }
    worker.outcomes = { end_of(2, 2) }
    assert.is_false(held_turns.is_sure(worker))
    local kept = {}
    for position, one in ipairs(worker.results) do kept[position] = one.keep or false end
    assert.same({ true, false, true, false }, kept)
  end)

  it("polls next where ends have opened other waits", function()
    for _, is_next in ipairs { false, true } do
      has_opened, worker.poll_at, worker.outcomes = is_next, math.huge, { end_of(1, 1) }
      assert.is_true(calls.flush(worker))
      assert.equal(is_next, worker.poll_at <= core.loop.update())
    end
  end)

  it("claims nothing before what it holds is compared", function()
    worker.must_sync, worker.sure_until = true, math.maxinteger
    assert.is_false(calls.poll(worker, 0))
  end)

  it("writes the end of a turn after all its results", function()
    worker.results = { of(1, 1), of(2, 1), of(1, 2) }
    worker.outcomes = { end_of(1, 3), end_of(3, 1) }
    assert.is_true(calls.flush(worker))
    assert.same({ "settle 1 1", "settle 2 1", "finish 3 1" }, written)
    assert.is_true(calls.flush(worker))
    assert.same({ "settle 1 2", "finish 1 3" }, { table.unpack(written, 4) })
    assert.same({ 0, 0 }, { #worker.results, #worker.outcomes })
  end)

  it("writes some megabytes at a time, one row at least, and each row once", function()
    local most = verbs.most.written
    for id, bytes in ipairs { most // 2, most // 2, 1, 3 * most, 5 } do
      worker.outcomes[id] = end_of(id, 1)
      worker.outcomes[id].bytes = bytes
      worker.decided = worker.decided + bytes
    end
    for _, rest in ipairs { 3, 2, 1, 0 } do
      assert.is_true(calls.flush(worker))
      assert.equal(rest, #worker.outcomes)
    end
    assert.same({ "finish 1 1", "finish 2 1", "finish 3 1", "finish 4 1", "finish 5 1" }, written)
    assert.same({ 0, 4 * most }, { worker.decided, worker.garbage })
  end)

  it("writes no later result of a turn before one for which there was no room", function()
    worker.results, worker.outcomes = { of(1, 1), of(2, 1), of(2, 2) }, { end_of(2, 3) }
    worker.results[1].bytes, worker.results[2].bytes = verbs.most.written, verbs.most.written
    for _ = 1, 3 do assert.is_true(calls.flush(worker)) end
    assert.same({ "settle 1 1", "settle 2 1", "settle 2 2", "finish 2 3" }, written)
  end)

  it("prepares what it has claimed and still holds, and nothing once it is stopped", function()
    local taken, take = {}, claimed.take
    finally(function() claimed.take = take end)
    function claimed.take(_, turn)
      taken[#taken + 1] = turn.id
      worker.is_stopped = turn.id == 3
    end
    worker.sure_until = math.maxinteger
    for id = 1, 4 do worker.turns[id] = { id = id } end
    worker.claimed[1] = { table.unpack(worker.turns) }
    worker.turns[2] = { id = 2 } -- it was dropped and claimed again
    local task = core.task.start(calls.begin_claimed, function() end, nil, worker, "unlimited")
    while not worker.claim_came do core.loop.turn() end
    task:cancel()
    assert.same({ 1, 3 }, taken)
  end)
end)
