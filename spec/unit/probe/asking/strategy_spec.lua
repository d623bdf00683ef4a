local strategy = require "bide.probe.asking.strategy"
local check = require "spec.support.check"

-- busted looks up a global at each use
local ipairs, math = ipairs, math

local DRAWS = 100000

---What the formula bounds: min(cap, base * 2^attempt), in floating point.
local function ceiling(base, cap, attempt)
  return math.min(cap, base * 2.0 ^ attempt)
end

---The bounds of every strategy, given base, cap, attempt and the delay before.
local bounds = {
  exponential = function(base, cap, attempt)
    return ceiling(base, cap, attempt), ceiling(base, cap, attempt)
  end,
  fullJitter = function(base, cap, attempt) return 0, ceiling(base, cap, attempt) end,
  equalJitter = function(base, cap, attempt)
    local highest = ceiling(base, cap, attempt)
    return highest // 2, highest
  end,
  decorrelatedJitter = function(base, cap, _, previous)
    return base, math.min(cap, math.max(base, previous) * 3.0)
  end,
  randomBase = function(base, cap, attempt) return 0, ceiling(base, cap, math.max(attempt, 1) - 1) end,
}

describe("a strategy", function()
  for kind, bound in pairs(bounds) do
    it(("of the kind %s stays within its bounds over %d draws, in whole milliseconds"):format(kind, DRAWS), function()
      math.randomseed(1)
      local drawn = 0
      while drawn < DRAWS do
        local base = math.random(1, 5000)
        local cap = base + math.random(0, 50000)
        local run, previous = strategy.new(kind, base, cap), 0
        for _ = 1, 50 do
          local attempt = math.random(0, 12)
          local low, high = bound(base, cap, attempt, previous)
          previous = run:delay(attempt)
          if math.type(previous) ~= "integer" or previous < low or previous > high then
            error(("%s(%d, %d): attempt %d gave %s, wanted %s to %s"):format(kind, base, cap, attempt, previous, low, high))
          end
          drawn = drawn + 1
        end
      end
    end)

    it(("of the kind %s overflows at no attempt and with no cap"):format(kind), function()
      for _, attempt in ipairs { 53, 61, 62, 63, 64, 65, 1 << 31, 1 << 32, math.maxinteger } do
        for _, limits in ipairs { { 1, 20000 }, { 100, math.maxinteger }, { math.maxinteger, math.maxinteger },
          { math.maxinteger // 2, math.maxinteger } } do
          local run = strategy.new(kind, limits[1], limits[2])
          for _ = 1, 100 do
            local delay = run:delay(attempt)
            check.is_true(math.type(delay) == "integer" and delay >= 0 and delay <= limits[2])
          end
        end
      end
    end)
  end

  it("reaches both ends of what it may draw", function()
    for kind, ends in pairs { fullJitter = { 0, 8 }, equalJitter = { 4, 8 }, randomBase = { 0, 4 } } do
      local run, seen = strategy.new(kind, 1, 100), {}
      for _ = 1, 2000 do seen[run:delay(3)] = true end
      for delay = -1, 9 do check.equal(delay >= ends[1] and delay <= ends[2], seen[delay] == true, kind .. delay) end
    end
  end)

  it("draws evenly: the mean of full jitter is half its ceiling, that of equal jitter three quarters", function()
    for kind, mean in pairs { fullJitter = 400, equalJitter = 600, randomBase = 200 } do
      local run, sum = strategy.new(kind, 100, 20000), 0
      for _ = 1, DRAWS do sum = sum + run:delay(3) end
      check.is_true(math.abs(sum / DRAWS - mean) < mean * 0.02, kind .. sum / DRAWS)
    end
  end)

  it("that is plainly exponential doubles up to the cap", function()
    local run, delays = strategy.new("exponential", 100, 20000), {}
    for attempt = 0, 9 do delays[#delays + 1] = run:delay(attempt) end
    assert.same({ 100, 200, 400, 800, 1600, 3200, 6400, 12800, 20000, 20000 }, delays)
  end)

  it("with decorrelated jitter grows from the delay before, not from the attempt", function()
    local run, previous, grown = strategy.new("decorrelatedJitter", 100, math.maxinteger), 0, false
    check.is_true(strategy.new("decorrelatedJitter", 100, 1000):delay(50) <= 300)
    for _ = 1, 200 do
      local delay = run:delay(0)
      grown = grown or delay > 3 * 100
      check.is_true(delay >= 100 and delay <= 3.0 * math.max(previous, 100))
      previous = delay
    end
    check.is_true(grown)
  end)
end)
