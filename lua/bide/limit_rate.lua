---Limits a rate, as a pure function from bucket to bucket; the caller stores the bucket. A bucket from the future, updated
---by a clock that was ahead, is taken as it is: no interval has passed.

local core = require "bide.core"
local option = require "bide.text.option"
local script_error = require "bide.text.script_error"

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

---Checks whether a bucket has the tokens that a request costs, and takes them.
---@param bucket bide.Bucket? { tokens, milliseconds }; nil makes a full one
---@param options bide.Rate?
---@return boolean allowed
---@return bide.Bucket bucket for the next check
---@return bide.Limiter limiter all numbers of this check
return function(bucket, options)
  local mistake = option.check(options or {}, kinds)
  if mistake then error("bide.limit_rate: " .. mistake, 2) end
  local ok, allowed, next_bucket, limiter = pcall(core.limiter.check, bucket, options or {})
  if ok then return allowed, next_bucket, limiter end
  script_error.pass_out_of_memory(allowed)
  error("bide.limit_rate: " .. allowed, 2)
end
