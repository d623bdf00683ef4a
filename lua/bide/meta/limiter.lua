---@meta bide.core.limiter

---@class bide.core.limiter
local limiter = {}

---The number of tokens, and the time when tokens were last added, in milliseconds.
---@alias bide.Bucket { [1]: integer, [2]: integer }

---Takes tokens from a bucket if it has enough.
---@param bucket bide.Bucket? nil makes a full one
---@param options bide.Rate
---@return boolean allowed
---@return bide.Bucket bucket
---@return bide.Limiter limiter
function limiter.check(bucket, options) end

---A bucket that stores its tokens itself.
---@class bide.OwnedBucket
local OwnedBucket = {}

---Takes a token, or returns the time of the next try.
---@param now integer
---@return boolean taken
---@return integer? next_at
function OwnedBucket:take(now) end

---Makes a full bucket. Times are milliseconds of any clock.
---@param refill_rate integer tokens added with each interval
---@param interval integer milliseconds
---@param burst_limit integer the most tokens that it holds
---@param now integer
---@return bide.OwnedBucket
function limiter.bucket(refill_rate, interval, burst_limit, now) end

return limiter
