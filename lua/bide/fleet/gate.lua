---Lets at most so many through at a time; the others wait in a line, in the order
---in which they came.

local line = require "bide.tasks.line"

---@class bide.Gate
---@field free integer
---@field line bide.Line
local Gate = {}
Gate.__index = Gate

---@param size integer
---@return bide.Gate
local function new(size)
  return setmetatable({ free = size, line = line.new() }, Gate)
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

return { new = new }
