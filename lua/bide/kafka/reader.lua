---Reads the values of an answer of Kafka in turn. A value that is cut off, and a count that cannot be, raise an
---InvalidAnswer.

---@class bide.kafka.Reader
---@field private bytes string
---@field private at integer
local Reader = {}
Reader.__index = Reader

---@param bytes string
---@return bide.kafka.Reader
function Reader.new(bytes)
  return setmetatable({ bytes = bytes, at = 1 }, Reader)
end

local function refuse(text)
  error({ type = "InvalidAnswer", message = "this is not the protocol of Kafka: " .. text }, 0)
end

---@return string
function Reader:take(count)
  if count < 0 or count > #self.bytes - self.at + 1 then refuse("a value of " .. count .. " bytes") end
  local from = self.at
  self.at = from + count
  return self.bytes:sub(from, from + count - 1)
end

local function number(format, size)
  return function(self) return (string.unpack(format, self:take(size))) end
end

Reader.int8 = number(">i1", 1)
Reader.int16 = number(">i2", 2)
Reader.int32 = number(">i4", 4)

---@return string? text nil for null
function Reader:text()
  local length = self:int16()
  if length == -1 then return nil end
  return self:take(length)
end

---Reads how many members a list has; a null has none.
---@param least integer the bytes that a member has at least
---@return integer
function Reader:count(least)
  local count = self:int32()
  if count == -1 then return 0 end
  if count < 0 or count * least > #self.bytes - self.at + 1 then refuse("a list of " .. count) end
  return count
end

---Reads a list of numbers, of which only the length matters.
---@return integer count
function Reader:count_numbers()
  local count = self:count(4)
  self:take(4 * count)
  return count
end

return Reader
