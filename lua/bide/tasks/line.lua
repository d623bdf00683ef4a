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

-- ---- gates ----------------------------------------------------------------------------------

---Lets at most some through at a time; the others wait in a line.
---@class bide.Gate
---@field free integer
---@field line bide.Line
local Gate = {}
Gate.__index = Gate

---@param size integer
---@return bide.Gate
local function new_gate(size)
  return setmetatable({ free = size, line = new() }, Gate)
end

---Goes through, or joins the line: `enter` is called once it is its turn.
---@generic T
---@param enter fun(who: T)
---@param who T
function Gate:enter(enter, who)
  if self.free == 0 then
    who.place = self.line:join { enter = enter, who = who }
    return
  end
  self.free = self.free - 1
  return enter(who)
end

---Steps out of the line again.
function Gate:withdraw(who)
  if who.place then self.line:step_out(who.place) end
  who.place = nil
end

---Whoever went through leaves, and makes room for the next in the line.
function Gate:leave()
  local next_one = self.line:next()
  if not next_one then
    self.free = self.free + 1
    return
  end
  next_one.who.place = nil
  return next_one.enter(next_one.who)
end

return { new = new, new_gate = new_gate }
