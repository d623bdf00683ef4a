---Every figure of bide.limit_rate against a plain implementation of the seed's text, over many random checks.

local bide = require "bide"

---A token bucket as its description has it, for figures that are far from overflowing.
local function plain(bucket, rate)
  local tokens, updated_at = rate.burstLimit, rate.now
  local refilled = rate.burstLimit
  if bucket then
    local passed = math.max(rate.now - bucket[2], 0) // rate.interval
    refilled = math.max(math.min(passed * rate.refillRate, rate.burstLimit - bucket[1]), 0)
    tokens, updated_at = bucket[1] + refilled, refilled > 0 and rate.now or bucket[2]
  end
  local next_at = updated_at + rate.interval
  local paid = tokens >= rate.cost and rate.cost or 0
  return {
    refillRate = rate.refillRate, interval = rate.interval, burstLimit = rate.burstLimit, cost = rate.cost,
    checkedAt = rate.now, createdAt = not bucket and rate.now or nil,
    previousTokens = bucket and bucket[1], previousUpdatedAt = bucket and bucket[2],
    updatedAt = updated_at, nextRefillAt = next_at, msUntilNextRefill = math.max(next_at - rate.now, 0),
    refilledTokens = refilled, tokensAfterRefill = tokens, paidTokens = paid, tokensAfterPaid = tokens - paid,
  }
end

describe("the figures of bide.limit_rate", function()
  it("are those of a plain implementation", function()
    math.randomseed(1678822656122)
    for _ = 1, 20000 do
      local rate = {
        refillRate = math.random(1, 6), interval = math.random(1, 40), cost = math.random(1, 4),
        burstLimit = math.random(1, 12), now = 1000 + math.random(0, 200),
      }
      local bucket = math.random(8) > 1 and { math.random(0, 14), 1000 + math.random(0, 200) } or nil
      local allowed, next_bucket, limiter = bide.limit_rate(bucket, rate)
      local expected = plain(bucket, rate)
      assert.same(expected, limiter)
      assert.equal(expected.paidTokens > 0, allowed)
      assert.same({ expected.tokensAfterPaid, expected.updatedAt }, next_bucket)
    end
  end)

  it("say of a full bucket when its next refill was due", function()
    local rate = { refillRate = 3, interval = 1000, now = 5500 }
    local _, bucket, limiter = bide.limit_rate({ 3, 1000 }, rate)
    assert.same({ 2000, 0, 0 }, { limiter.nextRefillAt, limiter.msUntilNextRefill, limiter.refilledTokens })
    rate.now = 5501
    assert.equal(1, select(3, bide.limit_rate(bucket, rate)).refilledTokens)
  end)

  it("take a bucket of a clock that was ahead for one of which no interval has passed", function()
    local allowed, bucket, limiter = bide.limit_rate({ 3, 1000 }, { now = 999 })
    assert.same({ true, { 2, 1000 } }, { allowed, bucket })
    assert.same({ 0, 1000, 2000, 1001 },
      { limiter.refilledTokens, limiter.updatedAt, limiter.nextRefillAt, limiter.msUntilNextRefill })
  end)

  it("stop at the largest integer", function()
    local most = math.maxinteger
    local allowed, _, limiter = bide.limit_rate(nil, { interval = most, now = 1000 })
    assert.same({ true, most, most - 1000 }, { allowed, limiter.nextRefillAt, limiter.msUntilNextRefill })
    limiter = select(3, bide.limit_rate({ 1, math.mininteger }, { now = 1000 }))
    assert.same({ 0, 1, 0 }, { limiter.refilledTokens, limiter.tokensAfterRefill, limiter.msUntilNextRefill })
    limiter = select(3, bide.limit_rate({ 0, math.mininteger }, { now = most, burstLimit = 5 }))
    assert.same({ 5, most }, { limiter.refilledTokens, limiter.nextRefillAt })
    limiter = select(3, bide.limit_rate({ 0, most }, { now = math.mininteger }))
    assert.same({ 0, most, most }, { limiter.refilledTokens, limiter.nextRefillAt, limiter.msUntilNextRefill })
  end)
end)
