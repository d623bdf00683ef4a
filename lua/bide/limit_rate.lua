---A rate limit as a pure function: bucket in, bucket out. Whoever limits a rate
---stores the bucket.

local core = require "bide.core"
local nearest = require "bide.nearest"

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
---@field nextRefillAt integer
---@field msUntilNextRefill integer
---@field refilledTokens integer
---@field tokensAfterRefill integer
---@field paidTokens integer the cost, or 0 where it could not be paid
---@field tokensAfterPaid integer

local option_names = { "burstLimit", "cost", "interval", "now", "refillRate" }

local function check_names(options)
  for name in pairs(options) do
    local known = false
    for _, option in ipairs(option_names) do known = known or name == option end
    if not known then
      local near = nearest(tostring(name), option_names)
      error(("bide.limit_rate: unknown option %q%s"):format(tostring(name),
        near and (", did you mean %q?"):format(near) or ""), 3)
    end
  end
end

---Checks whether a bucket has the tokens that a request costs, and takes them.
---@param bucket bide.Bucket? { tokens, milliseconds }; nil makes a full one
---@param options bide.Rate?
---@return boolean allowed
---@return bide.Bucket bucket for the next check
---@return bide.Limiter limiter every figure of this one
return function(bucket, options)
  check_names(options or {})
  local ok, allowed, next_bucket, limiter = pcall(core.limiter.check, bucket, options or {})
  if not ok then error("bide.limit_rate: " .. allowed, 2) end
  return allowed, next_bucket, limiter
end
