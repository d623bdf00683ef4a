---Reads the answer to a query of MySQL, the text protocol: a count, the columns, their end, and the rows.

local M = {}

---The most rows that are read; a wait needs one.
local MOST = 10000

---Reads a number whose first byte says its length.
---@return integer? number nil for NULL
---@return integer? next nil if the bytes are no number
local function read_number(body, at)
  local first = body:byte(at)
  if not first then return nil end
  if first < 0xFB then return first, at + 1 end
  if first == 0xFB then return nil, at + 1 end
  local size = ({ [0xFC] = 2, [0xFD] = 3, [0xFE] = 8 })[first]
  if not size or #body < at + size then return nil end
  local number = string.unpack("<I" .. size, body, at + 1)
  return number, at + 1 + size
end

---@return string? text nil for NULL
---@return integer? next nil if the bytes are no text
local function read_text(body, at)
  local length, next = read_number(body, at)
  if not length then return nil, next end
  if length < 0 or next + length - 1 > #body then return nil end
  return body:sub(next, next + length - 1), next + length
end

---Returns the name of a column, the fifth of its texts.
---@return string?
local function name_of(body)
  local at, text = 1, nil
  for _ = 1, 5 do
    text, at = read_text(body, at)
    if not at then return nil end
  end
  return text
end

---@param names string[]
---@return table<string, string>? row without the columns that are NULL; nil if the bytes are no row
local function row_of(names, body)
  local row, at = {}, 1
  for _, name in ipairs(names) do
    row[name], at = read_text(body, at)
    if not at then return nil end
  end
  return row
end

local function is_end(body)
  return body:byte(1) == 0xFE and #body < 9
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
---@return { count: integer, row: table<string, string>? } result the number of rows, and the first one
function M.read(first, read, fail)
  local count = read_number(first, 1) or fail "no number of columns"
  if count == 0 then return { count = 0 } end
  if count < 0 or count > 4096 then fail "too many columns" end
  local names, result = columns(read, fail, count), { count = 0 }
  while true do
    local body = read()
    if is_end(body) then return result end
    result.count = result.count + 1
    if result.count > MOST then fail("more than " .. MOST .. " rows") end
    if result.count == 1 then result.row = row_of(names, body) or fail "a row that cannot be read" end
  end
end

return M
