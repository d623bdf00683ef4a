---@meta bide.core.strategy
---Strategies for the pauses between retries, in whole milliseconds.

---@class bide.core.strategy
local strategy = {}

---@alias bide.StrategyKind "exponential"|"fullJitter"|"equalJitter"|"decorrelatedJitter"|"randomBase"

---@class bide.Strategy
local Strategy = {}

---Returns the delay before a retry, between 0 and the cap.
---@param attempt integer the number in the formula, from 0
---@return integer milliseconds
function Strategy:delay(attempt) end

---@param kind bide.StrategyKind
---@param base integer milliseconds, at least 1
---@param cap integer milliseconds, at least base
---@param seed integer? the same seed gives the same delays; the system's random numbers by default
---@param growth number? by what the pauses grow from one to the next, at least 1; 2 by default
---@return bide.Strategy
function strategy.new(kind, base, cap, seed, growth) end

return strategy
