local calls = require "bide.record.worker.calls"
local workers = require "bide.record.worker"

describe("a worker that writes what attempts have decided", function()
  local written, worker

  before_each(function()
    written = {}
    local function verb(name)
      return function(_, _, list)
        local ids = {}
        for position, one in ipairs(list) do
          ids[position] = one.id
          written[#written + 1] = ("%s %d %d"):format(name, one.id, one.attempts)
        end
        return ids
      end
    end
    worker = workers.new({ ahead = 0, settle = verb "settle", finish = verb "finish" },
      { name = "w", queues = { { name = "default", weight = 1 } }, jobs = 9, version = "0", kind = "trusted" })
    worker.me = { id = 1 }
  end)

  ---What an attempt of a turn has decided.
  local function of(id, attempts)
    worker.hand[id] = worker.hand[id] or { id = id }
    return { turn = worker.hand[id], id = id, attempts = attempts, keep = true }
  end

  it("writes nothing of a turn that was dropped and claimed again", function()
    worker.results, worker.outcomes = { of(1, 4), of(2, 1) }, { of(3, 2) }
    worker.hand[1], worker.hand[3] = { id = 1 }, nil
    assert.is_true(calls.flush(worker))
    assert.same({ "settle 2 1" }, written)
  end)

  it("writes the end of a turn after all its results", function()
    worker.results = { of(1, 1), of(2, 1), of(1, 2) }
    worker.outcomes = { of(1, 3), of(3, 1) }
    assert.is_true(calls.flush(worker))
    assert.same({ "settle 1 1", "settle 2 1", "finish 3 1" }, written)
    assert.is_true(calls.flush(worker))
    assert.same({ "settle 1 2", "finish 1 3" }, { table.unpack(written, 4) })
    assert.same({ 0, 0 }, { #worker.results, #worker.outcomes })
  end)
end)
