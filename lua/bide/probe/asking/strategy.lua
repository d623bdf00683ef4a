---The pauses between retries, by the strategies of the AWS SDKs, of "Exponential Backoff And Jitter" on the AWS Architecture
---Blog, and of botocore's delay_exponential. The SDKs do not agree on the number of the first retry, so the caller passes it.
---The delay of a waiter is another thing (src/wait/backoff.h).

local M = {}

---@alias bide.StrategyKind "exponential"|"fullJitter"|"equalJitter"|"decorrelatedJitter"|"randomBase"

---Times are whole milliseconds.
---@class bide.Strategy
---@field kind bide.StrategyKind
---@field base integer at least 1
---@field cap integer at least the base
---@field growth number by what the pauses grow from one to the next, at least 1; decorrelated jitter ignores it
---@field previous integer the last pause; the base at first
local Strategy = {}
Strategy.__index = Strategy

---Returns base * growth ^ exponent, at most the cap. A power may be infinite.
local function ceiling_of(strategy, exponent)
  local ceiling = strategy.base * strategy.growth ^ exponent
  return ceiling < strategy.cap and math.min(math.floor(ceiling + 0.5), strategy.cap) or strategy.cap
end

---@type table<bide.StrategyKind, fun(strategy: bide.Strategy, attempt: integer): integer>
local kinds = { exponential = ceiling_of }

function kinds.fullJitter(strategy, attempt)
  return math.random(0, ceiling_of(strategy, attempt))
end

function kinds.equalJitter(strategy, attempt)
  local ceiling = ceiling_of(strategy, attempt)
  return ceiling // 2 + math.random(0, ceiling - ceiling // 2)
end

function kinds.decorrelatedJitter(strategy)
  local highest = strategy.previous > math.maxinteger // 3 and math.maxinteger or strategy.previous * 3
  return math.min(strategy.cap, math.random(strategy.base, highest))
end

---botocore's rand * growth ^ (attempt - 1), with a base of one second.
function kinds.randomBase(strategy, attempt)
  return math.random(0, ceiling_of(strategy, math.max(attempt, 1) - 1))
end

---Returns the pause before a retry, between 0 and the cap.
---@param attempt integer the number in the formula, from 0
---@return integer milliseconds
function Strategy:delay(attempt)
  local delay = kinds[self.kind](self, attempt)
  self.previous = math.max(delay, self.base)
  return delay
end

---@param kind bide.StrategyKind
---@param base integer
---@param cap integer
---@param growth number? 2 by default
---@return bide.Strategy
function M.new(kind, base, cap, growth)
  return setmetatable({ kind = kind, base = base, cap = cap, growth = growth or 2, previous = base }, Strategy)
end

return M
