---The attempts of a wait: all of them up to a bound, then the first and the last
---ones, so that a wait of a day takes no more memory than one of an hour.

local FIRST, LAST = 50, 50

---@class bide.Attempt
---@field attempt integer from 1
---@field at number seconds after the wait began
---@field duration number seconds
---@field state "success"|"failure"|"retry"|nil nil where the attempt was cut
---@field acceptor integer? the position of the acceptor that matched
---@field error table? the operation error
---@field note string? why a path could not be evaluated
---@field delay number? seconds until the next attempt

---@class bide.History
---@field count integer
local History = {}
History.__index = History

---@return bide.History
local function new()
  return setmetatable({ count = 0 }, History)
end

---@param attempt bide.Attempt
function History:add(attempt)
  local place = self.count + 1
  self.count = place
  if place > FIRST then place = FIRST + (place - FIRST - 1) % LAST + 1 end
  self[place] = attempt
end

---@return bide.Attempt[] attempts in their order
---@return integer omitted how many lie between the first and the last ones
function History:list()
  local attempts = table.move(self, 1, math.min(self.count, FIRST), 1, {})
  local behind = self.count - FIRST
  if behind <= 0 then return attempts, 0 end
  local kept = math.min(behind, LAST)
  for i = behind - kept, behind - 1 do attempts[#attempts + 1] = self[FIRST + i % LAST + 1] end
  return attempts, behind - kept
end

return { new = new, BOUND = FIRST + LAST }
