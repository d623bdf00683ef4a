---Delays of bounded lateness: they grow with the time waited, and the state that is waited for is found late by at most a
---fraction of that time.

local core = require "bide.core"
local check = require "spec.support.check"

-- busted looks up a global at each use
local ipairs, math = ipairs, math

local json, wait = core.json, core.wait

local nothing = json.document({})
local blank = { input = nothing, output = nothing }
local definition = wait.definition(1, 1, { { state = "retry", matcher = { success = true } } })
local BILLIONTHS = 10 ^ 9 // 1 | 0
local HOUR = 3600000

---The delays of a wait that always tries again, with the times since its beginning at which they were chosen.
local function run(limits, seed, latency)
  local now, delays = -12345, {}
  local state = wait.kind(definition, limits):start(seed, now)
  local began = now
  while true do
    state:begin()
    now = now + (latency and latency() or 0)
    local verdict, _, delay = state:observe(now, blank)
    if verdict ~= "retry" then return delays, delay, now - began end
    delays[#delays + 1] = { at = now - began, delay = delay }
    now = now + delay
  end
end

---The rule as it is written, in floating point.
local function bounds(limits, elapsed)
  local ceiling = math.min(limits.max_delay, math.max(limits.min_delay, limits.lateness / BILLIONTHS * elapsed))
  return math.max(limits.min_delay, ceiling / 2), ceiling
end

local near = { min_delay = 50, max_delay = 5000, lateness = 50000000, max_wait = HOUR }

local function random_limits(seed)
  math.randomseed(seed)
  local minimum = math.random(1, 3000)
  return {
    min_delay = minimum, max_delay = math.random(minimum, minimum * 200), max_wait = math.random(1, 400000),
    lateness = math.random(1, 10 ^ math.random(1, 9) | 0),
  }
end

describe("bounded lateness", function()
  it("draws between half of the bound and the bound, in whole milliseconds", function()
    for seed = 1, 1000 do
      local limits = random_limits(seed)
      local delays = run(limits, seed, function() return math.random(0, 400) end)
      for _, one in ipairs(delays) do
        local low, high = bounds(limits, one.at)
        local remaining = limits.max_wait - one.at
        check.equal("integer", math.type(one.delay))
        check.is_true(one.delay > 0)
        check.is_true(one.delay <= high + 1e-6)
        check.is_true(one.delay >= low - 1e-6 or remaining - one.delay == limits.min_delay)
        check.is_true(remaining - one.delay >= limits.min_delay)
      end
    end
  end)

  it("includes both ends, and prefers no delay between them", function()
    local seen, total = {}, 21000
    for seed = 1, total do
      local state = wait.kind(definition, { min_delay = 1, max_delay = 100, lateness = 50000000, max_wait = HOUR }):start(seed, 0)
      state:begin()
      local _, _, delay = state:observe(800, blank)
      seen[delay] = (seen[delay] or 0) + 1
    end
    local below, furthest = 0, 0
    for delay = 20, 40 do
      check.is_true(seen[delay] ~= nil)
      below = below + seen[delay]
      furthest = math.max(furthest, math.abs(below / total - (delay - 19) / 21))
    end
    check.equal(total, below)
    check.is_true(furthest < 1.95 / math.sqrt(total)) -- Kolmogorov and Smirnov, at 0.1 %
  end)

  it("has the range of the rule at any time, and does not overflow", function()
    local rows = { -- minDelay, maxDelay, lateness, elapsed; lowest, highest
      { 50, 5000, 50000000, 0, 50, 50 }, { 50, 5000, 50000000, 1000, 50, 50 }, { 50, 5000, 50000000, 1020, 50, 51 },
      { 50, 5000, 50000000, 2000, 50, 100 }, { 50, 5000, 50000000, 2040, 51, 102 }, { 50, 5000, 50000000, 2041, 52, 102 },
      { 50, 5000, 50000000, 2059, 52, 102 }, { 50, 5000, 50000000, 2060, 52, 103 },
      { 50, 5000, 50000000, 99999, 2500, 4999 }, { 50, 5000, 50000000, 100000, 2500, 5000 },
      { 50, 5000, 50000000, math.maxinteger, 2500, 5000 }, { 50, 4999, 50000000, HOUR, 2500, 4999 },
      { 7, 7, 1, HOUR, 7, 7 }, { 1, math.maxinteger, BILLIONTHS, math.maxinteger, 1 << 62, math.maxinteger },
      { 1, math.maxinteger, 1, math.maxinteger, 4611686019, 9223372036 }, { 3, 9, BILLIONTHS, -5, 3, 3 },
    }
    for _, row in ipairs(rows) do
      assert.same({ row[5], row[6] }, { wait.late_range(row[1], row[2], row[3], row[4]) })
    end
    for _, wrong in ipairs { { 1, 2, 0, 5 }, { 1, 2, BILLIONTHS + 1, 5 }, { 2, 1, 5, 5 }, { -1, 1, 5, 5 } } do
      assert.has_error(function() wait.late_range(table.unpack(wrong)) end)
    end
  end)

  it("polls 816 to 1,600 times in an hour, as the bundled recipes have it", function()
    for seed = 1, 100 do
      local delays = run(near, seed)
      check.is_true(#delays + 1 >= 816 and #delays + 1 <= 1600)
    end
  end)

  it("finds every state late by at most 5 % of the time waited, or 50 ms", function()
    for seed = 1, 300 do
      local delays = run(near, seed)
      for _, one in ipairs(delays) do
        -- a state that begins just after the poll at `at` is found by the next one
        local began = one.at + 1
        check.is_true(one.at + one.delay - began <= math.max(50, 0.05 * began))
      end
    end
  end)

  it("depends on the seed and on the times of the attempts alone", function()
    local function latency(from)
      math.randomseed(from)
      return function() return math.random(0, 90) end
    end
    for seed = 1, 50 do assert.same(run(near, seed, latency(seed)), run(near, seed, latency(seed))) end
    local longer = run(near, 1, function() return 1000 end)
    check.is_true(#longer < #run(near, 1))
  end)

  it("knows the elapsed time after it was written down", function()
    local state = wait.kind(definition, near):start(3, 1000)
    state:begin()
    local restored = assert(wait.restore(definition, state:save(), 10 ^ 9 | 0))
    local _, _, delay = state:observe(1000 + 80000, blank)
    check.is_true(delay >= 2000 and delay <= 4000)
    check.equal(delay, (select(3, restored:observe((10 ^ 9 | 0) + 80000, blank))))
  end)

  it("is not used where a waiter has none: those delays depend on the attempt alone", function()
    for seed = 1, 200 do
      local limits = random_limits(seed)
      limits.lateness = nil
      for number, one in ipairs(run(limits, seed)) do
        check.is_true(one.delay <= wait.ceiling(limits.min_delay, limits.max_delay, number))
      end
    end
  end)
end)
