---Reads the values of an answer of Kafka in turn. A value that is cut off, and a count that cannot be, raise an
---InvalidAnswer.

local reader = require "bide.probe.peer.reader"

---@class bide.kafka.Reader: bide.peer.Reader
local Reader = reader.class(reader.refusal "Kafka", { int8 = ">i1", int16 = ">i2", int32 = ">i4" })

---@return string? text nil for null
function Reader:text()
  local length = self:int16()
  if length == -1 then return nil end
  return self:take(length)
end

---@return string bytes empty for null
function Reader:blob()
  local length = self:int32()
  return length == -1 and "" or self:take(length)
end

---Reads how many members a list has; a null has none.
---@param least integer the bytes that a member has at least
---@return integer
function Reader:count(least)
  local count = self:int32()
  if count == -1 then return 0 end
  if count < 0 or count * least > self:left() then self.refuse("a list of " .. count) end
  return count
end

---Refuses bytes behind the last value.
function Reader:finish()
  if self:left() > 0 then self.refuse(("%d bytes more than its values"):format(self:left())) end
end

---Reads a list of numbers, of which only the length matters.
---@return integer count
function Reader:count_numbers()
  local count = self:count(4)
  self:skip(4 * count)
  return count
end

return Reader
