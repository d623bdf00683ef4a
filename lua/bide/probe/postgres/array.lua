---Arrays of one dimension: written in binary, read in binary and as text. A list has its number in `n` if it has NULLs,
---as table.pack gives it.
---
---    array.write(array.elements.bigint, { 7, nil, 9, n = 3 })
---    array.write(array.elements.text, { { name = "a" }, { name = "b" } }, "name")
---    array.read(bytes, first, last, read_element, refuse)         --> { 7, nil, 9, n = 3 }

local core = require "bide.core"
local yield = require "bide.task.yield"

local elements = core.postgres.elements
local concat, pack, unpack = table.concat, string.pack, string.unpack

local M = {}

---The elements that are written before the loop turns, and the most that are read, since reading does not give way.
local SLICE, MOST = 4096, 10000

---The flag of an array in which NULLs may be.
local MAY_HAVE_NULLS = 1

---A type of elements.
---@class bide.postgres.Element
---@field oid integer its own
---@field array integer that of its arrays
---@field words string what a value has to be
---@field letter string by which the core writes it

---@type table<string, bide.postgres.Element>
M.elements = {
  bigint = { oid = 20, array = 1016, words = "a whole number of 64 bits", letter = "l" },
  int = { oid = 23, array = 1007, words = "a whole number of 32 bits", letter = "i" },
  text = { oid = 25, array = 1009, words = "a string", letter = "s" },
  bytea = { oid = 17, array = 1001, words = "a string", letter = "s" },
}

---@param element bide.postgres.Element
---@param list table with `n` if there are NULLs in it
---@param member string? of the tables in the list, whose values are then the elements
---@return string? bytes
---@return integer? position of the first value that is not an element
function M.write(element, list, member)
  local count = list.n or #list
  if count == 0 then return pack(">i4i4I4", 0, 0, element.oid) end
  local head <const> = pack(">i4i4I4i4i4", 1, MAY_HAVE_NULLS, element.oid, count, 1)
  if count <= SLICE then return elements(element.letter, list, 1, count, member, head) end
  local pieces = { head }
  for first = 1, count, SLICE do
    if first > 1 then yield() end
    local bytes, position = elements(element.letter, list, first, math.min(first + SLICE - 1, count), member)
    if not bytes then return nil, position end
    pieces[#pieces + 1] = bytes
  end
  return concat(pieces)
end

---@alias bide.postgres.Decode fun(bytes: string, first: integer, last: integer, refuse: fun(text: string)): any

local HEADER, DIMENSION = 12, 8

---Reads an array in binary.
---@param bytes string
---@param first integer
---@param last integer
---@param decode bide.postgres.Decode of its elements
---@param refuse fun(text: string) raises
---@return table list
function M.read(bytes, first, last, decode, refuse)
  if last - first + 1 < HEADER then refuse "an array that is cut off" end
  local dimensions = unpack(">i4", bytes, first)
  if dimensions == 0 then return { n = 0 } end
  if dimensions ~= 1 then refuse(("expected an array of one dimension, found %d"):format(dimensions)) end
  local at = first + HEADER + DIMENSION
  if at - 1 > last then refuse "an array that is cut off" end
  local count = unpack(">i4", bytes, first + HEADER)
  if count < 0 or count > MOST then refuse(("expected an array of at most %d elements, found %d"):format(MOST, count)) end
  local list = { n = count }
  for position = 1, count do
    if at + 3 > last then refuse "an array that is cut off" end
    local length = unpack(">i4", bytes, at)
    at = at + 4
    if length < -1 or length > last - at + 1 then refuse(("an array with an element of %d bytes"):format(length)) end
    if length >= 0 then
      list[position] = decode(bytes, at, at + length - 1, refuse)
      at = at + length
    end
  end
  if at ~= last + 1 then refuse "an array that is longer than its elements" end
  return list
end

---Returns the element of an array as text that begins at a position, without the escapes.
---@return string? element nil is NULL
---@return integer next the position behind it
local function next_element(text, at, refuse)
  local quoted, stop = text:match('^"([^"\\]*)"()', at)
  if quoted then return quoted, stop end
  if text:sub(at, at) ~= '"' then
    local bare, behind = text:match("^([^,{}\"\\]+)()", at)
    if not bare then refuse "an array whose text is not one" end
    return bare ~= "NULL" and bare or nil, behind
  end
  local pieces = {}
  at = at + 1
  while true do
    local plain, mark, behind = text:match('^([^"\\]*)(["\\])()', at)
    if not plain then refuse "an array whose text has no end" end
    pieces[#pieces + 1] = plain
    if mark == '"' then return concat(pieces), behind end
    pieces[#pieces + 1] = text:sub(behind, behind)
    at = behind + 1
  end
end

---Reads an array whose elements need no quotes.
---@return table list
local function read_bare(text, decode, refuse)
  local list, count = {}, 0
  if text:find(",[,}]") or text:sub(2, 2) == "," then refuse "an array whose text is not one" end
  for element in text:gmatch("[^,}]+", 2) do
    count = count + 1
    if count > MOST then refuse(("expected an array of at most %d elements, found more"):format(MOST)) end
    if element ~= "NULL" then list[count] = decode(element, 1, #element, refuse) end
  end
  list.n = count
  return list
end

---Reads an array as PostgreSQL writes it as text: `{7,NULL,"a b"}`.
---@param text string
---@param decode bide.postgres.Decode of its elements, as text
---@param refuse fun(text: string) raises
---@return table list
function M.read_text(text, decode, refuse)
  if text == "{}" then return { n = 0 } end
  if text:sub(1, 1) ~= "{" or text:sub(2, 2) == "{" then refuse "an array of another form than {1,2}" end
  if text:find "^{[^{}\"\\]+}$" then return read_bare(text, decode, refuse) end
  local list, at, count = {}, 2, 0
  repeat
    local element
    element, at = next_element(text, at, refuse)
    count = count + 1
    if count > MOST then refuse(("expected an array of at most %d elements, found more"):format(MOST)) end
    if element then list[count] = decode(element, 1, #element, refuse) end
    local mark = text:sub(at, at)
    at = at + 1
    if mark ~= "," and (mark ~= "}" or at <= #text) then refuse "an array whose text is not one" end
  until mark == "}"
  list.n = count
  return list
end

return M
