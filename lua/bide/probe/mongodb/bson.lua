---Reads and writes the part of BSON that MongoDB's commands and answers need. Every length and depth is bounded.
---
---    bson.write { { "hello", 1 }, { "$db", "admin" } }
---    bson.read(bytes)                                     --> { ok = 1.0, isWritablePrimary = true, … }

local peer_reader = require "bide.probe.peer.reader"

local M = {}

local DEEPEST, MOST = 16, 4096 -- documents in documents; members of all documents

-- ---- writing -----------------------------------------------------------------------------------

local Binary = {}

---Returns bytes that are no text, for M.write.
---@param bytes string
function M.binary(bytes)
  return setmetatable({ bytes = bytes }, Binary)
end

---Writers of a member, by the type of its value: an integer as int32, a list of pairs as a document, what M.binary made as bytes.
local writers

---Writes a document.
---@param members { [1]: string, [2]: string|integer|boolean|table }[] name and value, in their order
---@return string bytes
function M.write(members)
  local parts = {}
  for position, member in ipairs(members) do
    local name, value = member[1], member[2]
    parts[position] = writers[type(value)](name, value)
  end
  local body = table.concat(parts)
  return string.pack("<I4", #body + 5) .. body .. "\0"
end

writers = {
  string = function(name, value) return string.pack("<Bzs4", 2, name, value .. "\0") end,
  table = function(name, value)
    if getmetatable(value) == Binary then return string.pack("<BzI4B", 5, name, #value.bytes, 0) .. value.bytes end
    return string.pack("<Bz", 3, name) .. M.write(value)
  end,
  boolean = function(name, value) return string.pack("<BzB", 8, name, value and 1 or 0) end,
  number = function(name, value) return string.pack("<Bzi4", 16, name, value) end,
}

-- ---- reading -----------------------------------------------------------------------------------

---Raises that an answer breaks the protocol.
---@type fun(text: string)
M.refuse = peer_reader.refusal "MongoDB"

---@class bide.bson.Reader: bide.peer.Reader
---@field members integer how many have been read
local Reader = peer_reader.class(M.refuse, { double = "<d", int32 = "<i4", int64 = "<i8" })
Reader.members = 0

local function text(reader)
  local found = reader:take(reader:int32())
  if found:sub(-1) ~= "\0" then M.refuse "a text without an end" end
  return found:sub(1, -2)
end

local function bytes(count)
  return function(reader) return reader:take(count) end
end

local function nothing() return nil end

local read_document

---Readers of a value, by the type's number.
local readers = {
  [0x01] = Reader.double, [0x02] = text, [0x06] = nothing, [0x07] = bytes(12), [0x08] = function(reader)
    local value = reader:take(1):byte()
    if value > 1 then M.refuse("the truth value " .. value) end
    return value == 1
  end,
  [0x05] = function(reader)
    local length = reader:int32()
    reader:skip(1)
    return reader:take(length)
  end,
  [0x09] = Reader.int64, [0x0A] = nothing, [0x0D] = text, [0x0E] = text, [0x10] = Reader.int32,
  [0x0B] = function(reader) return reader:terminated() .. "/" .. reader:terminated() end,
  [0x11] = Reader.int64, [0x12] = Reader.int64, [0x13] = bytes(16), [0x7F] = nothing, [0xFF] = nothing,
}

local DOCUMENT, ARRAY = 0x03, 0x04

local function read_value(reader, kind, depth)
  if kind == DOCUMENT or kind == ARRAY then return read_document(reader, kind == ARRAY, depth + 1) end
  local read = readers[kind] or M.refuse(("a value of the unknown type 0x%02X"):format(kind))
  return read(reader)
end

---@param reader bide.bson.Reader
---@param is_list boolean
---@param depth integer
---@return table
function read_document(reader, is_list, depth)
  if depth > DEEPEST then M.refuse "documents that are nested too deeply" end
  local from, length = reader.at, reader:int32()
  local outer, last = reader.last, from + length - 2
  if length < 5 or last + 1 > outer then M.refuse("a document of " .. length .. " bytes") end
  if reader.bytes:byte(last + 1) ~= 0 then M.refuse "a document without an end" end
  reader.last = last
  local document = {}
  while reader.at <= last do
    reader.members = reader.members + 1
    if reader.members > MOST then M.refuse("more than " .. MOST .. " members") end
    local kind, name = reader:take(1):byte(), reader:terminated()
    local value = read_value(reader, kind, depth)
    if not is_list and document[name] ~= nil then M.refuse("the member " .. name .. " twice") end
    if is_list then document[#document + 1] = value else document[name] = value end
  end
  reader.at, reader.last = last + 2, outer
  return document
end

---Reads a document. Lists lose their nulls; a null, a MinKey and a MaxKey are nil.
---@param document string
---@return table
function M.read(document)
  local reader = Reader.new(document)
  local found = read_document(reader, false, 1)
  if reader:left() > 0 then M.refuse "bytes after the document" end
  return found
end

return M
