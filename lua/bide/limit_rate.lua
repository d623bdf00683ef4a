---Limits a rate, as a pure function from bucket to bucket; the caller stores the bucket. A bucket from the future, updated
---by a clock that was ahead, is taken as it is: no interval has passed.

local core = require "bide.core"
local option = require "bide.text.option"
local token_bucket = require "bide.probe.asking.token_bucket"

---Its function in `bide`.
---@class bide
---@field limit_rate fun(bucket: bide.Bucket?, options: bide.Rate?): boolean, bide.Bucket, bide.Limiter

---@class bide.Rate
---@field refillRate integer? tokens added with each interval that has passed; 1 by default
---@field interval integer? milliseconds; 1000 by default
---@field burstLimit integer? the most tokens a bucket holds; refillRate by default
---@field cost integer? tokens that one request takes; 1 by default
---@field now integer? milliseconds since 1970; the system's clock by default

---@class bide.Limiter : bide.Rate
---@field checkedAt integer
---@field createdAt integer? if there was no bucket before
---@field previousUpdatedAt integer?
---@field previousTokens integer?
---@field updatedAt integer checkedAt if tokens were added; otherwise unchanged
---@field nextRefillAt integer updatedAt plus an interval; in the past if the bucket is full
---@field msUntilNextRefill integer 0 if that time has come
---@field refilledTokens integer
---@field tokensAfterRefill integer
---@field paidTokens integer the cost, or 0 if there were not enough tokens
---@field tokensAfterPaid integer

local integer = option.kinds.integer

local kinds = { refillRate = integer, interval = integer, burstLimit = integer, cost = integer, now = integer }

---Returns the rate that options give, with all its members.
local function rate_of(options)
  local refill_rate = math.tointeger(options.refillRate or 1)
  return {
    refillRate = refill_rate, interval = math.tointeger(options.interval or 1000),
    burstLimit = math.tointeger(options.burstLimit or refill_rate), cost = math.tointeger(options.cost or 1),
  }
end

---Returns the tokens of a bucket and the time of its last refill; nil and the mistake if it is not one.
local function read(bucket)
  local tokens = type(bucket) == "table" and math.tointeger(bucket[1])
  local updated_at = tokens and math.tointeger(bucket[2])
  if not updated_at then return nil, "a bucket must be nil or { tokens, milliseconds }" end
  if tokens < 0 then return nil, "a bucket cannot hold less than 0 tokens" end
  return tokens, updated_at
end

---Adds the figures of a refill: that of the bucket, or of a full one without a bucket.
---@return string? mistake
local function refill(limiter, bucket)
  local now = limiter.checkedAt
  if bucket == nil then
    limiter.createdAt, limiter.updatedAt, limiter.refilledTokens = now, now, limiter.burstLimit
    return nil
  end
  local tokens, updated_at = read(bucket)
  if not tokens then return updated_at end
  limiter.previousTokens, limiter.previousUpdatedAt = tokens, updated_at
  limiter.refilledTokens = token_bucket.refill(limiter, tokens, updated_at, now)
  limiter.updatedAt = limiter.refilledTokens > 0 and now or updated_at
end

---Adds the figures of the payment.
local function pay(limiter)
  local tokens = (limiter.previousTokens or 0) + limiter.refilledTokens
  limiter.tokensAfterRefill = tokens
  limiter.paidTokens = tokens >= limiter.cost and limiter.cost or 0
  limiter.tokensAfterPaid = tokens - limiter.paidTokens
  limiter.nextRefillAt = token_bucket.after(limiter.updatedAt, limiter.interval)
  limiter.msUntilNextRefill = token_bucket.passed(limiter.checkedAt, limiter.nextRefillAt)
end

local function mistake_of(limiter)
  if math.min(limiter.refillRate, limiter.interval, limiter.burstLimit, limiter.cost) >= 1 then return nil end
  return "refill rate, interval, burst limit and cost must be at least 1"
end

---Checks whether a bucket has the tokens that a request costs, and takes them.
---@param bucket bide.Bucket? { tokens, milliseconds }; nil makes a full one
---@param options bide.Rate?
---@return boolean allowed
---@return bide.Bucket bucket for the next check
---@return bide.Limiter limiter all numbers of this check
return function(bucket, options)
  options = options or {}
  local mistake = option.check(options, kinds)
  local limiter = not mistake and rate_of(options)
  if limiter then
    limiter.checkedAt = math.tointeger(options.now or core.loop.wall())
    mistake = mistake_of(limiter) or refill(limiter, bucket)
  end
  if mistake then error("bide.limit_rate: " .. mistake, 2) end
  pay(limiter)
  return limiter.paidTokens > 0, { limiter.tokensAfterPaid, limiter.updatedAt }, limiter
end
