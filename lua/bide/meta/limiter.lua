---@meta bide.core.limiter

---@class bide.core.limiter
local limiter = {}

---How many tokens there are, and when tokens were added last, in milliseconds.
---@alias bide.Bucket { [1]: integer, [2]: integer }

---Checks whether a bucket can pay, and pays.
---@param bucket bide.Bucket? nil makes a full one
---@param options bide.Rate
---@return boolean allowed
---@return bide.Bucket bucket
---@return bide.Limiter limiter
function limiter.check(bucket, options) end

---A bucket that keeps its tokens itself.
---@class bide.OwnedBucket
local OwnedBucket = {}

---Takes a token; else says when to ask again.
---@param now integer
---@return boolean taken
---@return integer? next_at
function OwnedBucket:take(now) end

---Makes a full one. Times are milliseconds of any clock.
---@param refill_rate integer tokens added with each interval
---@param interval integer milliseconds
---@param burst_limit integer the most tokens that it holds
---@param now integer
---@return bide.OwnedBucket
function limiter.bucket(refill_rate, interval, burst_limit, now) end

return limiter
