---A worker that stood still after its gate had let several attempts in, before they began, made them all once it continued,
---though its lease was over: another worker had the turns by then.

local bide = require "bide"
local core = require "bide.core"
local gates = require "bide.record.worker.gate"
local run = require "bide.wait.run"

describe("attempts that a worker's gate has let in", function()
  it("do not begin once the lease may be over", function()
    local is_sure, calls, waits = true, 0, {}
    local function may_pass()
      if not is_sure then
        for _, wait in ipairs(waits) do wait:abandon() end
      end
      return is_sure
    end
    local waiter = bide.waiter {
      name = "Asked", minDelay = 1, maxDelay = 1,
      operation = function()
        calls = calls + 1
        if calls == 1 then bide.sleep(0.01) end
        is_sure = calls < 2
        return {}
      end,
      acceptors = { { state = "success", matcher = { success = true } } },
    }
    local ended = 0
    local gate = gates.new(5, may_pass, function() return true end, function() return math.huge end)
    local kind = run.new_kind(waiter, { max_wait = 60000, min_delay = 1000, max_delay = 1000, gate = gate },
      function() ended = ended + 1 end)
    for place = 1, 4 do
      waits[place] = run.of_kind(kind, assert(core.json.document {}), { id = place })
    end
    waits[1].is_alone = true -- so that the others are let in together, when it has ended
    while core.loop.turn() do end
    assert.equal(2, calls)
    assert.equal(2, ended)
  end)
end)
