---Token buckets, which limit rates. Times are milliseconds of any clock, and saturate.

local M = {}

---The number of tokens, and the time when tokens were last added.
---@alias bide.Bucket { [1]: integer, [2]: integer }

---Adds an interval above 0 to a time.
---@param time integer
---@param interval integer
---@return integer
function M.after(time, interval)
  return time > math.maxinteger - interval and math.maxinteger or time + interval
end

---Returns the time from one moment to another; 0 if that is not later.
---@param from integer
---@param to integer
---@return integer
function M.passed(from, to)
  if to <= from then return 0 end
  return from < 0 and to > math.maxinteger + from and math.maxinteger or to - from
end

---Returns how many tokens the intervals add that have passed since tokens were added last. Compares before it multiplies.
---@param rate { refillRate: integer, interval: integer, burstLimit: integer } each at least 1
---@param tokens integer at least 0
---@param updated_at integer
---@param now integer
---@return integer
function M.refill(rate, tokens, updated_at, now)
  local room, intervals = rate.burstLimit - tokens, M.passed(updated_at, now) // rate.interval
  if room <= 0 then return 0 end
  return intervals > room // rate.refillRate and room or math.min(room, intervals * rate.refillRate)
end

---A bucket that stores its tokens itself.
---@class bide.OwnedBucket
---@field rate { refillRate: integer, interval: integer, burstLimit: integer }
---@field tokens integer
---@field updated_at integer
local OwnedBucket = {}
OwnedBucket.__index = OwnedBucket

---Takes a token, or returns the time of the next try, which is after `now`. A request that is late by less than one interval
---counts as on time, so that late timers do not lower the rate: within any time T at most burstLimit + refillRate *
---ceil(T / interval) tokens are given. Time adds no tokens to a full bucket, which begins anew.
---@param now integer
---@return boolean taken
---@return integer? next_at
function OwnedBucket:take(now)
  local rate, at = self.rate, math.max(self.updated_at, now)
  if M.passed(self.updated_at, now) // rate.interval == 1 then at = self.updated_at + rate.interval end
  local added = M.refill(rate, self.tokens, self.updated_at, at)
  if added > 0 or self.tokens == rate.burstLimit then self.updated_at = at end
  self.tokens = self.tokens + added
  if self.tokens == 0 then return false, M.after(self.updated_at, rate.interval) end
  self.tokens = self.tokens - 1
  return true
end

---Makes a full bucket.
---@param rate { refillRate: integer, interval: integer, burstLimit: integer } each at least 1
---@param now integer
---@return bide.OwnedBucket
function M.new(rate, now)
  return setmetatable({ rate = rate, tokens = rate.burstLimit, updated_at = now }, OwnedBucket)
end

return M
