---The part of BER (X.690) that LDAP uses (RFC 4511, 5.1): lengths are definite, and a tag is one byte.

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

---Reads the length of an element.
---@param bytes string
---@param at integer of the first byte of the length
---@return integer? length nil if it is wrong, or has more than four bytes
---@return integer? next the position after it
function M.read_length(bytes, at)
  local first = bytes:byte(at)
  if not first or first == 0x80 or first > 0x84 then return nil end
  if first < 0x80 then return first, at + 1 end
  local count = first & 0x7F
  if #bytes < at + count then return nil end
  return (string.unpack(">I" .. count, bytes, at + 1)), at + 1 + count
end

---Reads an element.
---@param bytes string
---@param at integer
---@return integer? tag nil if there is no whole element
---@return string content
---@return integer next the position after it
function M.read(bytes, at)
  local tag = bytes:byte(at)
  local length, start = M.read_length(bytes, at + 1)
  if not tag or not length or #bytes < start + length - 1 then return nil, "", at end
  return tag, bytes:sub(start, start + length - 1), start + length
end

---Goes through the elements of a content; ends at the first one that is not whole.
---@param bytes string
---@return fun(): integer?, string?
function M.elements(bytes)
  local at = 1
  return function()
    local tag, content, next = M.read(bytes, at)
    at = next
    if tag then return tag, content end
  end
end

---@param content string of an INTEGER or an ENUMERATED
---@return integer? number nil if it is not one, or larger than this needs
function M.number(content)
  return #content >= 1 and #content <= 4 and string.unpack(">i" .. #content, content) or nil
end

return M
