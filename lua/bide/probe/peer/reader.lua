---Reads the values of a message in turn, for one protocol. A value that is cut off is refused, so that no reader beyond
---this one checks where the bytes end.
---
---    local reader = require "bide.probe.peer.reader"
---    local refuse = reader.refusal "Kafka"
---    local Reader = reader.class(refuse, { int16 = ">i2" })    -- may get more methods, made of these
---
---    local answer = Reader.new(bytes)
---    answer:int16()           --> 5
---    answer:number "<I4"      --> 7, by a format of string.unpack
---    answer:take(3)           --> "abc"
---    refuse "two answers"     -- raises InvalidAnswer: this is not the protocol of Kafka: two answers

local fail = require "bide.text.fail"

local M = {}

---@class bide.peer.Reader
---@field bytes string
---@field at integer the position of the next byte
---@field last integer the position of the last byte
---@field protected refuse fun(text: string) raises
---@field [string] fun(self: bide.peer.Reader): integer
local Reader = {}

---Returns how many bytes follow.
---@return integer
function Reader:left()
  return self.last - self.at + 1
end

---Steps over bytes.
---@param count integer which may be any that the wire says
---@return integer from the position of the first of them
function Reader:skip(count)
  local from = self.at
  if count < 0 or count > self.last - from + 1 then
    self.refuse(("it ends at byte %d, within a value of %d bytes"):format(self.last, count))
  end
  self.at = from + count
  return from
end

---@param count integer which may be any that the wire says
---@return string
function Reader:take(count)
  local from = self:skip(count)
  return self.bytes:sub(from, from + count - 1)
end

---@param format string of string.unpack: one number
---@return number
function Reader:number(format)
  return (string.unpack(format, self.bytes, self:skip(string.packsize(format))))
end

---Reads a text that ends with a NUL, and the NUL.
---@return string
function Reader:terminated()
  local ending = self.bytes:find("\0", self.at, true)
  if not ending or ending > self.last then self.refuse "a text without an end" end
  return self:take(ending - self.at + 1):sub(1, -2)
end

---Returns what raises that an answer breaks its protocol.
---@param protocol string "Kafka"
---@return fun(text: string)
function M.refusal(protocol)
  local form = ("this is not the protocol of %s: %%s"):format(protocol)
  return function(text) fail("InvalidAnswer", form:format(text)) end
end

---Returns a class of readers.
---@param refuse fun(text: string) raises
---@param numbers? table<string, string> the names of methods that read a number, and its format
---@return table
function M.class(refuse, numbers)
  local Class = setmetatable({ refuse = refuse }, { __index = Reader })
  Class.__index = Class
  for name, format in pairs(numbers or {}) do
    Class[name] = function(self) return self:number(format) end
  end
  ---@param bytes string
  function Class.new(bytes)
    return setmetatable({ bytes = bytes, at = 1, last = #bytes }, Class)
  end
  return Class
end

return M
