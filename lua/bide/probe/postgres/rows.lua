---Reads the answer to a query of PostgreSQL, the simple protocol: for each statement the columns, the rows and its end,
---and then that the server is ready again.

local reader = require "bide.probe.peer.reader"

local M = {}

---The most rows that are read; a wait needs one.
local MOST = 10000

local Reader = reader.class(reader.refusal "PostgreSQL", { uint16 = ">I2", int32 = ">i4" })

---Returns the names of the columns.
---@param body string of RowDescription
---@return string[]
local function names_of(body)
  local columns, names = Reader.new(body), {}
  for position = 1, columns:uint16() do
    names[position] = columns:terminated()
    columns:skip(18) -- its table and its type
  end
  if columns:left() > 0 then columns.refuse "bytes after the columns" end
  return names
end

---@param names string[]
---@param body string of DataRow
---@return table<string, string> row without the columns that are NULL
local function row_of(names, body)
  local values, row = Reader.new(body), {}
  local count = values:uint16()
  if count ~= #names then values.refuse(("a row of %d values for %d columns"):format(count, #names)) end
  for _, name in ipairs(names) do
    local length = values:int32()
    if length ~= -1 then row[name] = values:take(length) end
  end
  if values:left() > 0 then values.refuse "bytes after a row" end
  return row
end

---Readers of messages, by their letter. The other messages say nothing about rows.
local readers = {
  T = function(result, body, fail)
    if result.before then fail "columns within a statement" end
    result.names, result.before = names_of(body), result.count
  end,
  C = function(result, body, fail)
    local selected = result.before and tonumber(body:match "^SELECT (%d+)%z$")
    if selected and selected ~= result.count - result.before then
      fail(("%d rows, and says that they are %d"):format(result.count - result.before, selected))
    end
    if body:find "%z" ~= #body then fail "an end that is not readable" end
    result.before = nil
  end,
  D = function(result, body, fail)
    if not result.before then fail "a row without columns" end
    result.count = result.count + 1
    if result.count > MOST then fail("more than " .. MOST .. " rows") end
    if result.count == 1 then result.row = row_of(result.names, body) end
  end,
  G = function(_, _, fail) fail "a request for data, since the query is a COPY" end,
  H = function(_, _, fail) fail "data without rows, since the query is a COPY" end,
  W = function(_, _, fail) fail "a request to replicate" end,
}

---Reads rows up to the message that the server is ready.
---@param read fun(): string, string the next message, its letter and its body; raises what the server refuses
---@param fail fun(text: string) raises
---@return { count: integer, columns: integer?, row: table<string, string>?, is_query: boolean } result the number of rows and of
---columns, the first row, and whether a statement gives rows at all
function M.read(read, fail)
  local result = { count = 0 }
  while true do
    local kind, body = read()
    if kind == "Z" and result.before then fail "rows without an end" end
    if kind == "Z" and not body:find "^[IT]$" then fail "a state that there is not" end
    if kind == "Z" then
      local names = result.names
      return { count = result.count, columns = names and #names, row = result.row, is_query = names ~= nil }
    end
    local read_kind = readers[kind]
    if read_kind then read_kind(result, body, fail) end
  end
end

return M
