local wait = require("bide.core").wait
local check = require "spec.support.check"

-- busted looks up a global at each use
local math = math

local SECOND = 1000

---The specification's algorithm in floating point, as it is written, with the draw given.
local function reference(attempt, minimum, maximum, drawn_at, remaining)
  local ceiling = math.log(maximum / minimum) / math.log(2) + 1
  local delay = attempt > ceiling and maximum or minimum * 2 ^ (attempt - 1)
  delay = math.floor(minimum + (delay - minimum) * drawn_at)
  if remaining - delay <= minimum then delay = remaining - minimum end
  return delay
end

describe("the backoff", function()
  it("gives the times of the specification's table, given the table's draws", function()
    -- retry, draw, cumulative time, remaining time
    local rows = {
      { 1, 2, 2, 298 }, { 2, 3, 5, 295 }, { 3, 6, 11, 289 }, { 4, 6, 17, 283 }, { 5, 22, 39, 261 },
      { 6, 62, 101, 199 }, { 7, 43, 144, 156 }, { 8, 24, 168, 132 }, { 9, 71, 239, 61 },
      { 10, 42, 281, 19 }, { 11, 9, 290, 10 }, { 12, 6, 296, 4 },
    }
    local elapsed = 0
    for _, row in ipairs(rows) do
      local retry, drawn = row[1], row[2] * SECOND
      check.is_true(drawn >= 2 * SECOND and drawn <= wait.ceiling(2 * SECOND, 120 * SECOND, retry))
      elapsed = elapsed + wait.delay(2 * SECOND, drawn, 300 * SECOND - elapsed)
      check.equal(row[3] * SECOND, elapsed)
      check.equal(row[4] * SECOND, 300 * SECOND - elapsed)
    end
    -- "13 (last attempt)": whatever is drawn with 4 s left, the delay is 2 s and ends at 298
    for drawn = 2, 120 do
      check.equal(298 * SECOND, elapsed + wait.delay(2 * SECOND, drawn * SECOND, 300 * SECOND - elapsed))
    end
  end)

  it("doubles from minDelay until maxDelay would be exceeded", function()
    local expected = { 2, 4, 8, 16, 32, 64, 120, 120 }
    for attempt, seconds in ipairs(expected) do
      check.equal(seconds * SECOND, wait.ceiling(2 * SECOND, 120 * SECOND, attempt))
    end
  end)

  it("reaches maxDelay itself where that is minDelay doubled", function()
    assert.same({ 1, 2, 4, 8, 8 }, {
      wait.ceiling(1, 8, 1), wait.ceiling(1, 8, 2), wait.ceiling(1, 8, 3), wait.ceiling(1, 8, 4), wait.ceiling(1, 8, 5),
    })
  end)

  it("is constant where minDelay is maxDelay", function()
    for _, attempt in ipairs { 1, 2, 63, 64, 65, 1000000 } do
      check.equal(5000, wait.ceiling(5000, 5000, attempt))
    end
  end)

  it("saturates at any attempt and any delay", function()
    local largest = math.maxinteger
    for _, attempt in ipairs { 62, 63, 64, 65, 128, 2 ^ 31 | 0, 2 ^ 32 | 0, largest } do
      check.equal(largest, wait.ceiling(1 << 40, largest, attempt))
      check.equal(120000, wait.ceiling(1, 120000, attempt))
    end
  end)

  it("makes the last delay what leaves minDelay, even if that is shorter than minDelay", function()
    check.equal(1, wait.delay(2000, 2000, 2001))
    check.equal(1999, wait.delay(2000, 2000, 3999))
    check.equal(2000, wait.delay(2000, 2000, 4000)) -- remaining - delay = minDelay
    check.equal(2000, wait.delay(2000, 2000, 4001))
    check.equal(3000, wait.delay(2000, 4000, 5000))
  end)

  it("equals the specification's own arithmetic, over many seeds", function()
    for seed = 1, 20000 do
      math.randomseed(seed)
      local minimum = math.random(1, 5000)
      local maximum = math.random(minimum, minimum * math.random(1, 4000))
      local attempt, at = math.random(1, 40), math.random()
      local remaining = minimum + math.random(1, 400000)
      local ceiling = wait.ceiling(minimum, maximum, attempt)
      local drawn = math.floor(minimum + (ceiling - minimum) * at)
      check.equal(reference(attempt, minimum, maximum, at, remaining), wait.delay(minimum, drawn, remaining))
    end
  end)
end)
