---The part of BER (X.690) that LDAP uses (RFC 4511, 5.1): lengths are definite, and a tag is one byte.

local reader = require "bide.probe.peer.reader"

local M = {}

M.BOOLEAN, M.INTEGER, M.OCTETS, M.ENUMERATED, M.SEQUENCE, M.SET = 0x01, 0x02, 0x04, 0x0A, 0x30, 0x31

local function length_of(count)
  if count < 0x80 then return string.char(count) end
  local bytes = string.pack(">I4", count):gsub("^\0+", "")
  return string.char(0x80 | #bytes) .. bytes
end

---Writes an element.
---@param tag integer
---@param content string
---@return string
function M.write(tag, content)
  return string.char(tag) .. length_of(#content) .. content
end

---@param number integer 0 to 127
---@param tag? integer INTEGER by default
---@return string
function M.integer(number, tag)
  return M.write(tag or M.INTEGER, string.char(number))
end

---@param bytes string
---@return string
function M.octets(bytes)
  return M.write(M.OCTETS, bytes)
end

---@param ... string elements
---@return string
function M.sequence(...)
  return M.write(M.SEQUENCE, table.concat { ... })
end

---Raises that an answer breaks the protocol.
---@type fun(text: string)
M.refuse = reader.refusal "LDAP"

---@class bide.ber.Reader: bide.peer.Reader
local Reader = reader.class(M.refuse)

---@type fun(bytes: string): bide.ber.Reader
M.reader = Reader.new

---Reads the length of an element, of which it says itself how long it is.
---@return integer
function Reader:length()
  local first = self:number "B"
  if first < 0x80 then return first end
  if first == 0x80 or first > 0x84 then self.refuse "an element without a length" end
  return self:number(">I" .. (first & 0x7F))
end

---Reads an element.
---@return integer tag
---@return string content
function Reader:element()
  local tag = self:number "B"
  return tag, self:take(self:length())
end

---Goes through the elements of a content.
---@param content string
---@return fun(): integer?, string?
function M.elements(content)
  local rest = Reader.new(content)
  return function()
    if rest:left() > 0 then return rest:element() end
  end
end

---@param content string of an INTEGER or an ENUMERATED
---@return integer? number nil if it is not one, or larger than this needs
function M.number(content)
  return #content >= 1 and #content <= 4 and string.unpack(">i" .. #content, content) or nil
end

return M
