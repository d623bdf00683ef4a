---Reads the answer to a query of MySQL, the text protocol: a count, the columns, their end, and the rows.

local reader = require "bide.probe.peer.reader"

local M = {}

---The most rows that are read; a wait needs one.
local MOST = 10000

local MORE = 8 -- the bit of an end's state that says that further results follow

local REST = 12 -- bytes that describe a column after its names: the set of characters, the type, and so on

local Reader = reader.class(reader.refusal "MySQL")

local formats = { [0xFC] = "<I2", [0xFD] = "<I3", [0xFE] = "<I8" }

---Reads a number whose first byte says its length.
---@return integer? number nil for NULL
function Reader:length()
  local first = self:number "B"
  if first < 0xFB then return first end
  if first == 0xFB then return nil end
  return self:number(formats[first] or self.refuse "a number of an unknown length")
end

---@return string? text nil for NULL
function Reader:text()
  local length = self:length()
  return length and self:take(length)
end

---Returns the name of a column, the fifth of its texts.
---@return string?
local function name_of(body)
  local column = Reader.new(body)
  for _ = 1, 4 do column:text() end
  local name = column:text()
  column:text() -- that of the table's column
  if column:length() ~= REST then column.refuse "a column of another form" end
  column:skip(REST)
  if column:left() > 0 then column.refuse "bytes after a column" end
  return name
end

---@param names string[]
---@return table<string, string> row without the columns that are NULL
local function row_of(names, body)
  local row, values = {}, Reader.new(body)
  for _, name in ipairs(names) do row[name] = values:text() end
  if values:left() > 0 then values.refuse "bytes after a row" end
  return row
end

local function is_end(body)
  return body:byte(1) == 0xFE and #body == 5
end

---@param read fun(): string the next packet
---@param fail fun(text: string)
local function columns(read, fail, count)
  local names = {}
  for position = 1, count do names[position] = name_of(read()) or fail "a column without a name" end
  if not is_end(read()) then fail "columns without an end" end
  return names
end

---Reads rows, after the packet with their first one has come.
---@param first string the first packet of the answer, which is not an error
---@param read fun(): string the next packet
---@param fail fun(text: string) raises
---@return { count: integer, columns: integer, row: table<string, string>? }? result the number of rows and of columns, and the
---first row; nil if the statement gives none, as CREATE TABLE and SET do
function M.read(first, read, fail)
  local opening = Reader.new(first)
  local count = opening:length() or fail "no number of columns"
  if count == 0 then return nil end
  if opening:left() > 0 then fail "bytes after the number of columns" end
  if count < 0 or count > 4096 then fail "too many columns" end
  local names, result = columns(read, fail, count), { count = 0, columns = count }
  while true do
    local body = read()
    if is_end(body) then
      if string.unpack("<I2", body, 4) & MORE ~= 0 then fail "further results" end
      return result
    end
    result.count = result.count + 1
    if result.count > MOST then fail("more than " .. MOST .. " rows") end
    if result.count == 1 then result.row = row_of(names, body) end
  end
end

return M
