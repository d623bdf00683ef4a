---A rate limit as a pure function: bucket in, bucket out. Whoever limits a rate
---stores the bucket. A bucket that a clock which was ahead has updated is taken as it is: no interval
---has passed.

local core = require "bide.core"
local option = require "bide.option"
local script_error = require "bide.script_error"

---Its function in `bide`.
---@class bide
---@field limit_rate fun(bucket: bide.Bucket?, options: bide.Rate?): boolean, bide.Bucket, bide.Limiter

---@class bide.Rate
---@field refillRate integer? tokens added with each interval that has passed; 1 otherwise
---@field interval integer? milliseconds; 1000 otherwise
---@field burstLimit integer? the most tokens a bucket holds; refillRate otherwise
---@field cost integer? tokens that one request takes; 1 otherwise
---@field now integer? milliseconds since 1970; the system's clock otherwise

---@class bide.Limiter : bide.Rate
---@field checkedAt integer
---@field createdAt integer? where there was no bucket
---@field previousUpdatedAt integer?
---@field previousTokens integer?
---@field updatedAt integer checkedAt where tokens were added, else as it was
---@field nextRefillAt integer updatedAt and an interval; in the past for a bucket that is full
---@field msUntilNextRefill integer 0 where that time has come
---@field refilledTokens integer
---@field tokensAfterRefill integer
---@field paidTokens integer the cost, or 0 where it could not be paid
---@field tokensAfterPaid integer

local integer = option.kinds.integer

local kinds = { refillRate = integer, interval = integer, burstLimit = integer, cost = integer, now = integer }

---Checks whether a bucket has the tokens that a request costs, and takes them.
---@param bucket bide.Bucket? { tokens, milliseconds }; nil makes a full one
---@param options bide.Rate?
---@return boolean allowed
---@return bide.Bucket bucket for the next check
---@return bide.Limiter limiter every figure of this one
return function(bucket, options)
  local mistake = option.check(options or {}, kinds)
  if mistake then error("bide.limit_rate: " .. mistake, 2) end
  local ok, allowed, next_bucket, limiter = pcall(core.limiter.check, bucket, options or {})
  if ok then return allowed, next_bucket, limiter end
  script_error.pass_out_of_memory(allowed)
  error("bide.limit_rate: " .. allowed, 2)
end
