---Reads the answer to a query of PostgreSQL, the simple protocol: for each statement the columns, the rows and its end,
---and then that the server is ready again.

local M = {}

---The most rows that are read; a wait needs one.
local MOST = 10000

---Returns the names of the columns.
---@param body string of RowDescription
---@return string[]? names nil if the bytes are no columns
local function names_of(body)
  if #body < 2 then return nil end
  local count, at, names = string.unpack(">I2", body), 3, {}
  for position = 1, count do
    local name, next = body:match("^([^\0]*)\0()", at)
    if not name or #body < next + 17 then return nil end
    names[position], at = name, next + 18
  end
  return names
end

---@param names string[]
---@param body string of DataRow
---@return table<string, string>? row without the columns that are NULL; nil if the bytes are no row
local function row_of(names, body)
  if #body < 2 or string.unpack(">I2", body) ~= #names then return nil end
  local row, at = {}, 3
  for _, name in ipairs(names) do
    if #body < at + 3 then return nil end
    local length = string.unpack(">i4", body, at)
    at = at + 4
    if length > #body - at + 1 then return nil end
    if length >= 0 then
      row[name], at = body:sub(at, at + length - 1), at + length
    end
  end
  return row
end

---Readers of messages, by their letter. The other messages say nothing about rows.
local readers = {
  T = function(result, body, fail) result.names = names_of(body) or fail "columns that cannot be read" end,
  D = function(result, body, fail)
    if not result.names then fail "a row without columns" end
    result.count = result.count + 1
    if result.count > MOST then fail("more than " .. MOST .. " rows") end
    if result.count == 1 then result.row = row_of(result.names, body) or fail "a row that cannot be read" end
  end,
  G = function(_, _, fail) fail "a request for data, since the query is a COPY" end,
  H = function(_, _, fail) fail "data without rows, since the query is a COPY" end,
  W = function(_, _, fail) fail "a request to replicate" end,
}

---Reads rows up to the message that the server is ready.
---@param read fun(): string, string the next message, its letter and its body; raises what the server refuses
---@param fail fun(text: string) raises
---@return { count: integer, row: table<string, string>? } result the number of rows, and the first one
function M.read(read, fail)
  local result = { count = 0 }
  while true do
    local kind, body = read()
    if kind == "Z" then return { count = result.count, row = result.row } end
    local reader = readers[kind]
    if reader then reader(result, body, fail) end
  end
end

return M
