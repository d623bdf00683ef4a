---A line whose items are taken in the order in which they joined, and may leave at any time.

---@class bide.Line
---@field count integer the number of items in it
local Line = {}
Line.__index = Line

---@return bide.Line
local function new()
  return setmetatable({ first = 1, last = 0, count = 0 }, Line)
end

---Adds an item at the end.
---@param item any
---@return integer place for `leave`
function Line:join(item)
  self.last, self.count = self.last + 1, self.count + 1
  self[self.last] = item
  return self.last
end

---Removes an item, unless it was taken already.
---@param place integer
---@return boolean whether the item was still there
function Line:leave(place)
  if self[place] == nil then return false end
  self[place], self.count = nil, self.count - 1
  return true
end

---Takes the first item out of the line.
---@return any item nil if the line is empty
function Line:next()
  if self.count == 0 then return nil end
  while self[self.first] == nil do self.first = self.first + 1 end
  local item = self[self.first]
  self:leave(self.first)
  return item
end

-- ---- gates ----------------------------------------------------------------------------------

---Admits at most N waits at a time; the others stay in a line.
---@class bide.Gate
---@field free integer
---@field line bide.Line
---@field may_pass? fun(): boolean whether what was let in may begin still
local Gate = {}
Gate.__index = Gate

---@param size integer
---@return bide.Gate
local function new_gate(size)
  return setmetatable({ free = size, line = new() }, Gate)
end

---Calls `enter(wait)` at once if there is room, and otherwise as soon as the wait is the first in the line.
---@generic T
---@param enter fun(wait: T)
---@param wait T
function Gate:enter(enter, wait)
  if self.free == 0 then
    wait.place = self.line:join { enter = enter, wait = wait }
    return
  end
  self.free = self.free - 1
  return enter(wait)
end

---Removes a wait from the line.
function Gate:withdraw(wait)
  if wait.place then self.line:leave(wait.place) end
  wait.place = nil
end

---Notes that a wait that had entered has left, and admits the first in the line.
function Gate:leave()
  local next_one = self.line:next()
  if not next_one then
    self.free = self.free + 1
    return
  end
  next_one.wait.place = nil
  return next_one.enter(next_one.wait)
end

return { new = new, new_gate = new_gate }
