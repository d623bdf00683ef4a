---Reads and writes the values of AMQP 0-9-1. A value that is cut off, and what is nested too deeply, raises an
---InvalidAnswer.

local reader = require "bide.probe.peer.reader"

local M = {}

local DEEPEST, MOST = 8, 1024 -- tables in tables; members of all tables

---Raises that an answer breaks the protocol.
---@type fun(text: string)
M.refuse = reader.refusal "AMQP 0-9-1"

---@class bide.amqp.Reader: bide.peer.Reader
---@field private members integer how many have been read
local Reader = reader.class(M.refuse, { uint8 = ">I1", uint16 = ">I2", uint32 = ">I4" })
Reader.members = 0

---@type fun(bytes: string): bide.amqp.Reader
M.reader = Reader.new

---@return string
function Reader:short_text() return self:take(self:uint8()) end

---@return string
function Reader:long_text() return self:take(self:uint32()) end

local read_value

---@param is_list boolean
---@param depth integer
local function read_members(self, is_list, depth)
  if depth > DEEPEST then M.refuse "tables that are nested too deeply" end
  local length, members = self:uint32(), {}
  local last = self.at + length
  if length > self:left() then M.refuse("a table of " .. length .. " bytes") end
  while self.at < last do
    self.members = self.members + 1
    if self.members > MOST then M.refuse("more than " .. MOST .. " members") end
    local name = is_list and #members + 1 or self:short_text()
    members[name] = read_value(self, depth)
  end
  return members
end

---Sizes of the values that say nothing to bide, by the letter of their type.
local sizes = { b = 1, B = 1, s = 2, U = 2, u = 2, I = 4, i = 4, L = 8, l = 8, f = 4, d = 8, D = 5, T = 8, V = 0 }

function read_value(self, depth)
  local kind = self:take(1)
  if kind == "S" or kind == "x" then return self:long_text() end
  if kind == "t" then return self:uint8() ~= 0 end
  if kind == "F" or kind == "A" then return read_members(self, kind == "A", depth + 1) end
  return self:take(sizes[kind] or M.refuse "a value of an unknown type")
end

---Reads a table. Numbers are the bytes that they were sent as.
---@return table<string, any>
function Reader:table() return read_members(self, false, 1) end

---Writes a table of texts, switches and such tables.
---@param members { [1]: string, [2]: string|boolean|table }[] name and value
---@return string
function M.table(members)
  local parts = {}
  for position, member in ipairs(members) do
    local value = member[2]
    local written = type(value) == "string" and string.pack(">c1s4", "S", value)
      or type(value) == "table" and "F" .. M.table(value) or "t" .. (value and "\1" or "\0")
    parts[position] = string.pack(">s1", member[1]) .. written
  end
  return string.pack(">s4", table.concat(parts))
end

return M
