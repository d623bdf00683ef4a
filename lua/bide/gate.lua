---Lets at most so many through at a time; the others wait in a line, in the order
---in which they came.

---@class bide.Gate
---@field free integer
local Gate = {}
Gate.__index = Gate

---@param size integer
---@return bide.Gate
local function new(size)
  return setmetatable({ free = size, first = 1, last = 0 }, Gate)
end

---Goes through, or joins the line: `enter` is called once it is its turn.
---@generic T
---@param enter fun(who: T)
---@param who T
function Gate:enter(enter, who)
  if self.free > 0 then
    self.free = self.free - 1
    return enter(who)
  end
  self.last = self.last + 1
  self[self.last] = { enter = enter, who = who }
  who.place = self.last
end

---Steps out of the line again.
function Gate:withdraw(who)
  if who.place then self[who.place] = false end
  who.place = nil
end

---Whoever went through leaves, and makes room for the next in the line.
function Gate:leave()
  while self.first <= self.last do
    local next_one = self[self.first]
    self[self.first] = nil
    self.first = self.first + 1
    if next_one then
      next_one.who.place = nil
      return next_one.enter(next_one.who)
    end
  end
  self.free = self.free + 1
end

return { new = new }
