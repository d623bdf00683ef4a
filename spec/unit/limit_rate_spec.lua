local bide = require "bide"
local check = require "spec.support.check"

-- busted looks up a global at each use
local math = math

local limit_rate = bide.limit_rate

describe("bide.limit_rate", function()
  it("gives every figure, as in the seed's example", function()
    local allowed, bucket, limiter = limit_rate({ 3, 1678822656122 },
      { refillRate = 3, interval = 50, burstLimit = 5, cost = 2, now = 1678822656124 })
    assert.is_true(allowed)
    assert.same({ 1, 1678822656122 }, bucket)
    assert.same({
      refillRate = 3, interval = 50, burstLimit = 5, cost = 2, checkedAt = 1678822656124, createdAt = nil,
      previousUpdatedAt = 1678822656122, updatedAt = 1678822656122, nextRefillAt = 1678822656172,
      msUntilNextRefill = 48, previousTokens = 3, refilledTokens = 0, tokensAfterRefill = 3, paidTokens = 2,
      tokensAfterPaid = 1,
    }, limiter)
  end)

  it("refills two seconds' worth: 3 tokens and 2 × 5 are 13, 12 after paying", function()
    local allowed, bucket, limiter = limit_rate({ 3, 1000 }, { refillRate = 5, burstLimit = 20, now = 3000 })
    assert.same({ true, { 12, 3000 } }, { allowed, bucket })
    assert.same({ 10, 13, 4000, 1000 },
      { limiter.refilledTokens, limiter.tokensAfterRefill, limiter.nextRefillAt, limiter.msUntilNextRefill })
  end)

  it("lets one request a second through by default", function()
    local allowed, bucket, limiter = limit_rate(nil, { now = 5000 })
    assert.same({ true, { 0, 5000 } }, { allowed, bucket })
    assert.same({ 5000, 1 }, { limiter.createdAt, limiter.refilledTokens })
    assert.is_nil(limiter.previousTokens or limiter.previousUpdatedAt)
    allowed, bucket = limit_rate(bucket, { now = 5999 })
    assert.same({ false, { 0, 5000 } }, { allowed, bucket })
    allowed, bucket = limit_rate(bucket, { now = 6000 })
    assert.same({ true, { 0, 6000 } }, { allowed, bucket })
  end)

  it("takes the interval, the burst limit and the cost", function()
    local allowed, bucket = limit_rate(nil, { refillRate = 3, burstLimit = 5, now = 1 })
    assert.same({ true, { 4, 1 } }, { allowed, bucket })
    allowed, bucket = limit_rate(bucket, { refillRate = 3, burstLimit = 5, now = 1 })
    assert.same({ true, { 3, 1 } }, { allowed, bucket })
    bucket = nil
    for _, left in ipairs { 7, 4, 1 } do
      allowed, bucket = limit_rate(bucket, { cost = 3, burstLimit = 10, now = 1 })
      assert.same({ true, { left, 1 } }, { allowed, bucket })
    end
    allowed, bucket = limit_rate(bucket, { cost = 3, burstLimit = 10, now = 1 })
    assert.same({ false, { 1, 1 } }, { allowed, bucket })
  end)

  it("keeps a bucket for each user, as the seed's server does", function()
    local buckets, now = {}, 1000
    local function enforce(user)
      local allowed
      allowed, buckets[user] = limit_rate(buckets[user], { refillRate = 2, interval = 100, now = now })
      return allowed
    end
    local answers = {}
    for _, user in ipairs { "jane", "jane", "bill", "jane", "bill", "bill" } do answers[#answers + 1] = enforce(user) end
    assert.same({ true, true, true, false, true, false }, answers)
    now, answers = 1100, {}
    for _, user in ipairs { "bill", "pam", "jane", "bill", "bill" } do answers[#answers + 1] = enforce(user) end
    assert.same({ true, true, true, true, false }, answers)
    assert.same({ 1, 0, 1 }, { buckets.jane[1], buckets.bill[1], buckets.pam[1] })
  end)

  it("never lets more through than the rate and the burst allow, over many seeds", function()
    for seed = 1, 150 do
      math.randomseed(seed)
      local options = { refillRate = math.random(1, 9), interval = math.random(1, 300), cost = math.random(1, 3) }
      options.burstLimit = math.random(options.cost, 30)
      local bucket, paid, start = nil, 0, math.random(1, 10 ^ 12 | 0)
      options.now = start
      for _ = 1, 200 do
        local allowed, limiter
        allowed, bucket, limiter = limit_rate(bucket, options)
        if allowed then paid = paid + options.cost end
        check.is_true(bucket[1] >= 0 and bucket[1] <= options.burstLimit)
        check.equal(limiter.tokensAfterRefill, (limiter.previousTokens or 0) + limiter.refilledTokens)
        check.equal(math.max(limiter.nextRefillAt - options.now, 0), limiter.msUntilNextRefill)
        local intervals = (options.now - start) // options.interval
        check.is_true(paid <= options.burstLimit + intervals * options.refillRate + options.refillRate)
        options.now = options.now + math.random(0, 400)
      end
    end
  end)

  it("overflows nowhere", function()
    local huge = { refillRate = math.maxinteger, interval = 1, burstLimit = 10, now = math.maxinteger // 2 }
    local _, bucket = limit_rate({ 0, 0 }, huge)
    assert.equal(9, bucket[1])
  end)

  it("names what is wrong", function()
    assert.error_matches(function() limit_rate(nil, { refilRate = 1 }) end, 'did you mean "refillRate"')
    assert.error_matches(function() limit_rate(nil, { interval = 0 }) end, "at least 1")
    assert.error_matches(function() limit_rate(nil, { cost = "x" }) end, "cost: expected a whole number")
    assert.error_matches(function() limit_rate({ 1 }, {}) end, "a bucket must be")
    assert.error_matches(function() limit_rate({ -1, 5 }, { now = 6 }) end, "less than 0")
  end)
end)
