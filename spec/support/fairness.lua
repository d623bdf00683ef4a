---Which queues and lanes of a store a worker takes turns from, poll by poll, while time does not pass.
---
---    local shares = fairness.of(store, me, { { name = "default", weight = 3 }, { name = "other", weight = 1 } }, 52, 2)
---    assert.equal(48, shares.default[1])

local uv = require "luv"
local calls = require "bide.record.worker.calls"
local json = require("bide.core").json
local workers = require "bide.record.worker"

local M = {}

---The share of each lane, of 13.
M.lanes = { 8, 4, 1 }

---Has a worker poll, with hands that are empty each time, and look for what is overdue as well. Returns how many turns it
---got of each lane, by queue; the lane is a member of their input.
---@param store bide.Store
---@param me bide.record.Worker
---@param queues { name: string, weight: integer }[]
---@param polls integer
---@param jobs integer
---@return table<string, integer[]>
function M.of(store, me, queues, polls, jobs)
  local shares, worker = {}, nil
  for _, queue in ipairs(queues) do shares[queue.name] = { 0, 0, 0 } end
  local between = setmetatable({}, { __index = store })
  ---Keeps the turns from the worker, which would make their attempts.
  function between.claim(_, of, want)
    local clock, turns = store:claim(of, want)
    assert(clock, turns.message)
    for _, turn in ipairs(turns) do
      local lane = json.decode(turn.input).lane
      shares[want.queue][lane] = shares[want.queue][lane] + 1
    end
    worker.held, worker.is_full = worker.held + #turns, worker.is_full or #turns == want.want or nil
    return clock, {}
  end
  worker = workers.new(between, { name = "w", queues = queues, jobs = jobs, version = "0", kind = "trusted" })
  worker.me, worker.sure_until = me, math.huge
  local beaten = 0
  for _ = 1, polls do
    if store.beat and uv.hrtime() - beaten > 1e9 then -- all polls together may take longer than its lease
      assert(store:beat(me, { count = 0, sum = 0 }))
      beaten = uv.hrtime()
    end
    worker.held, worker.sweep_at = 0, 0
    assert(calls.poll(worker, 0))
  end
  return shares
end

return M
