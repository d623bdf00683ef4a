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

return limiter
