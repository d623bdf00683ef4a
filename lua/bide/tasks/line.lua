---A line: who came first is the next, and whoever stands in it may step out at any time.

---@class bide.Line
---@field count integer how many stand in it
local Line = {}
Line.__index = Line

---@return bide.Line
local function new()
  return setmetatable({ first = 1, last = 0, count = 0 }, Line)
end

---Joins it at its end.
---@param who any
---@return integer place by which to step out again
function Line:join(who)
  self.last, self.count = self.last + 1, self.count + 1
  self[self.last] = who
  return self.last
end

---Steps out, where it has not been the turn of that place yet.
---@param place integer
---@return boolean whether somebody stood there
function Line:step_out(place)
  if self[place] == nil then return false end
  self[place], self.count = nil, self.count - 1
  return true
end

---Takes the next one out of the line.
---@return any who nil where nobody stands in it
function Line:next()
  if self.count == 0 then return nil end
  while self[self.first] == nil do self.first = self.first + 1 end
  local who = self[self.first]
  self:step_out(self.first)
  return who
end

return { new = new }
