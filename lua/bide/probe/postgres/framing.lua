---Cuts what PostgreSQL sends into its messages, where they are: a message that is whole in a piece of what came is not
---copied, one that lies in several pieces is joined once.
---
---    local framing = Framing.new(LIMIT, function(kind, bytes, first, last) … end)
---    framing:add(piece)
---    local done = framing:run(2000000)     -- gives way after 2 ms
---
---A message that no server sends raises InvalidAnswer.

local fail = require "bide.text.fail"
local uv = require "luv"

local byte, hrtime, unpack = string.byte, uv.hrtime, string.unpack

---The work between two looks at the clock: messages, and KiB of them.
local WORK = 32

---Pieces below this size are joined as they come, so that a peer that sends single bytes costs no more memory than they do.
local SMALL = 16 * 1024

local HEADER = 5 -- bytes: a letter, and a length that counts itself

---@class bide.postgres.Framing
---@field private limit integer
---@field private take fun(kind: integer, bytes: string, first: integer, last: integer): integer?
---@field private waiting string[] what has come and was not looked at
---@field private next integer the first of them
---@field private at integer the next byte in it
---@field private rest string[]? the pieces of a message that is not whole
---@field private rest_size integer
---@field private wanted integer the bytes that the rest lacks for a header or a message, and those that are there
---@field private is_header boolean whether it is a header that the rest lacks
local Framing = {}
Framing.__index = Framing

---@param limit integer the most bytes of a message
---@param take fun(kind: integer, bytes: string, first: integer, last: integer): integer? called with each message: the byte
---of its letter, and where its body is; returns where the next message is if it took those behind this one as well
---@return bide.postgres.Framing
function Framing.new(limit, take)
  return setmetatable({ limit = limit, take = take, waiting = {}, next = 1, at = 1, rest_size = 0, wanted = 0,
    is_header = false }, Framing)
end

---@param bytes string that came, not empty
function Framing:add(bytes)
  self.waiting[#self.waiting + 1] = bytes
end

---Returns the size of a message with its header.
---@return integer
local function size_of(self, bytes, at)
  local length = unpack(">I4", bytes, at + 1)
  if length < 4 then fail("InvalidAnswer", ("this is not the protocol of PostgreSQL: a message of %d bytes"):format(length)) end
  if length > self.limit then
    fail("InvalidAnswer", ("expected a message of at most %d bytes, found %d"):format(self.limit, length))
  end
  return length + 1
end

---Adds a piece to the message that is not whole.
local function keep(self, piece)
  local rest = self.rest or {}
  self.rest, self.rest_size = rest, self.rest_size + #piece
  while #rest > 0 and #rest[#rest] <= #piece and #piece < SMALL do piece = table.remove(rest) .. piece end
  rest[#rest + 1] = piece
end

---Goes on with the message that is not whole.
---@return integer at the next byte
---@return integer? work nil if this piece has less than it lacks
local function complete(self, bytes, at)
  local missing = self.wanted - self.rest_size
  if #bytes - at + 1 < missing then
    keep(self, bytes:sub(at))
    return #bytes + 1
  end
  keep(self, bytes:sub(at, at + missing - 1))
  local whole = table.concat(self.rest)
  self.rest, self.rest_size = { whole }, #whole
  if self.is_header then self.wanted, self.is_header = size_of(self, whole, 1), false end
  if #whole == self.wanted then
    self.rest, self.rest_size = nil, 0
    self.take(byte(whole), whole, HEADER + 1, #whole)
  end
  return at + missing, 1 + (missing >> 10)
end

---Looks at the next message.
---@return integer at the next byte
---@return integer? work nil if it is not whole in this piece
local function step(self, bytes, at)
  if self.rest then return complete(self, bytes, at) end
  local left = #bytes - at + 1
  self.is_header = left < HEADER
  local size = self.is_header and HEADER or size_of(self, bytes, at)
  if left < size then
    self.wanted = size
    keep(self, bytes:sub(at))
    return #bytes + 1
  end
  local next = self.take(byte(bytes, at), bytes, at + HEADER, at + size - 1) or at + size
  return next, 1 + (next - at >> 10)
end

---Takes the messages that have come, for a time.
---@param longest integer nanoseconds
---@return boolean done false if there are more
---@return integer elapsed nanoseconds
function Framing:run(longest)
  local began, work = hrtime(), 0
  local stop = began + longest
  while self.waiting[self.next] do
    local bytes = self.waiting[self.next]
    local at, done = step(self, bytes, self.at)
    self.at = at
    if at > #bytes then
      self.waiting[self.next], self.next, self.at = nil, self.next + 1, 1
    end
    work = work + (done or 1)
    if work >= WORK then
      work = 0
      local now = hrtime()
      if now >= stop and self.waiting[self.next] then return false, now - began end
    end
  end
  self.next = 1
  return true, hrtime() - began
end

return Framing
