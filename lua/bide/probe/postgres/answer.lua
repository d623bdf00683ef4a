---The answer to one statement: what may come in which order, its rows, and how it ended. A statement has succeeded only if
---the server has said that it is complete, and then that it is ready again.

local core = require "bide.core"
local fail = require "bide.text.fail"
local failures = require "bide.probe.postgres.failure"
local messages = require "bide.probe.postgres.messages"
local values = require "bide.probe.postgres.values"

local pack, task, unpack = string.pack, core.task, string.unpack

local M = {}

---The most columns of a query, which are those of PostgreSQL.
local MOST_COLUMNS = 1664

---The bytes that a row takes beside its values, and that each value takes beside its own.
local ROW, VALUE = 64, 32

---A statement, as far as the server has described it.
---@class bide.postgres.Statement
---@field name? string under which the server has it prepared
---@field state? "asked"|"ready" whether the server is preparing it, or has
---@field described? string the last description of its columns, as it came
---@field columns? bide.postgres.Columns of it
---@field wanted string the formats in which the columns are asked for, packed

---@class bide.postgres.Columns
---@field names string[]
---@field decoders (bide.postgres.Decode|false)[] false for a value in binary that only its text says
---@field kinds string how the core reads each of them

---@class bide.postgres.session.Rows
---@field affected? integer the number that the server says: of rows that were found, inserted, changed, deleted or copied;
---it and `columns` are found by their names only, since rows may go into an output
---@field columns string[] their names
---@field [integer] table<string, any> a row by the names of its columns, without those that are NULL

---The state of an answer, which says what may come next.
---@alias bide.postgres.Step "parsing"|"binding"|"describing"|"rows"|"asked"|"copying"|"ended"|"failed"

---@class bide.postgres.Answer
---@field step bide.postgres.Step
---@field statement? bide.postgres.Statement of the extended protocol
---@field is_preparing? boolean whether the server was asked to prepare it for later
---@field copies? "in"|"out" which way the rows of a COPY go
---@field rows bide.postgres.session.Rows
---@field about { columns: string[], affected: integer? } the rows
---@field size integer what the rows take
---@field taken integer the number of rows that have come
---@field limits bide.postgres.Target the most that they, and a message, may take
---@field consumer? fun(row: table<string, any>) takes them one by one, and they are not kept; may not wait
---@field fault? any[] what it raised; the rows after that are dropped
---@field tag? string "SELECT 1", once it is complete
---@field failure? bide.postgres.session.Failure
---@field is_done boolean
---@field chunks string[] of a COPY that were not taken yet
---@field held integer their bytes
---@field waker? bide.Waker of the task that waits for it

local function refuse(text)
  fail("InvalidAnswer", "this is not the protocol of PostgreSQL: " .. text)
end

---@param step bide.postgres.Step
---@param limits bide.postgres.Target
---@return bide.postgres.Answer
function M.new(step, limits)
  local about = { columns = {} }
  local rows = setmetatable({}, { __index = about })
  return { step = step, limits = limits, rows = rows, about = about, size = 0, taken = 0, is_done = false, chunks = {}, held = 0 }
end

---Wakes the task that waits for something of the answer.
---@param answer bide.postgres.Answer
function M.wake(answer)
  local waker = answer.waker
  answer.waker = nil
  if waker then waker() end
end

---Waits until an answer has ended, or something else is enough.
---@param answer bide.postgres.Answer
---@param is_enough? fun(): boolean|nil asked again whenever a COPY begins, or rows of it have come
function M.await(answer, is_enough)
  while not answer.is_done and not (is_enough and is_enough()) do
    answer.waker = task.waker()
    task.pause(answer.waker)
  end
end

---@param answer bide.postgres.Answer
---@param failure bide.postgres.session.Failure?
function M.finish(answer, failure)
  answer.failure, answer.is_done = answer.failure or failure, true
  if answer.failure then answer.rows, answer.chunks = {}, {} end
  M.wake(answer)
end

local function advance(answer, from, to)
  if answer.step ~= from then refuse(("an answer in another order, at %s"):format(answer.step)) end
  answer.step = to
end

-- ---- columns and rows ---------------------------------------------------------------------------

local COLUMN = ">I4I2I4i2i4I2" -- table, column, type, size, modifier, format
local COLUMN_SIZE = string.packsize(COLUMN)

---@return bide.postgres.Columns
---@return string wanted the formats in which to ask for them next time
local function read_columns(body)
  if #body < 2 then refuse "a description that is cut off" end
  local count, at = unpack(">I2", body)
  if count > MOST_COLUMNS then refuse(("a query of %d columns"):format(count)) end
  local names, decoders, wanted, kinds = {}, {}, {}, {}
  for position = 1, count do
    local ending = body:find("\0", at, true)
    if not ending or ending + COLUMN_SIZE > #body then refuse "a description that is cut off" end
    local _, _, oid, _, _, format = unpack(COLUMN, body, ending + 1)
    names[position], at = body:sub(at, ending - 1), ending + 1 + COLUMN_SIZE
    if format > 1 then refuse(("a column in the format %d"):format(format)) end
    decoders[position] = values.decoder(oid, format) or false
    kinds[position] = values.kind_of(oid, format)
    wanted[position] = pack(">I2", values.format_of(oid))
  end
  if at ~= #body + 1 then refuse "a description that is longer than its columns" end
  return { names = names, decoders = decoders, kinds = table.concat(kinds) }, table.concat(wanted)
end

---Has a statement be prepared anew.
local function forget(statement)
  statement.name, statement.state, statement.described, statement.wanted = nil, nil, nil, ""
end

---Fails an answer whose columns are of other types than they were, so that they were asked for in the wrong format.
local function check_types(answer, columns)
  for position, decode in ipairs(columns.decoders) do
    if not decode and not answer.failure then
      forget(answer.statement)
      local words = "the column %s has changed its type; the server has carried the statement out"
      answer.failure = failures.new { kind = "refused", type = "InvalidInput", uncertain = true,
        message = words:format(columns.names[position]) }
    end
  end
end

local function describe(answer, bytes, first, last)
  if answer.copies then fail("InvalidInput", "expected a COPY, found a statement that gives rows") end
  advance(answer, "describing", "rows")
  local body, statement = bytes:sub(first, last), answer.statement
  if statement.described ~= body then
    statement.columns, statement.wanted = read_columns(body)
    statement.described = body
  end
  answer.columns, answer.about.columns = statement.columns, statement.columns.names
  check_types(answer, answer.columns)
end

---@param rows table<string, any>[]
local function hand_over(answer, rows)
  if answer.fault then return end
  local ok, fault = pcall(task.without_waiting, "the function for rows", function()
    for _, row in ipairs(rows) do answer.consumer(row) end
  end)
  if not ok then answer.fault = { fault } end
end

---Takes a row, and those that have come behind it.
local function add_rows(answer, bytes, first, last)
  local columns, limits, rows = answer.columns, answer.limits, answer.consumer and {} or answer.rows
  if answer.step ~= "rows" or not columns then refuse "a row without columns" end
  if answer.failure then return end
  local count, names = #rows, columns.names
  local next, mistake = core.postgres.rows(bytes, first, last, limits.message_limit, rows, names, columns.kinds,
    columns.decoders, refuse)
  if not next then refuse(mistake) end
  answer.taken = answer.taken + #rows - count
  if answer.consumer then
    hand_over(answer, rows)
    return next
  end
  answer.size = answer.size + (next - first) + (#rows - count) * (ROW + #names * VALUE)
  if answer.size > limits.result_limit then
    fail("InvalidAnswer", ("expected an answer of at most %d bytes, found more: select fewer rows"):format(limits.result_limit))
  end
  return next
end

-- ---- the end ------------------------------------------------------------------------------------

local function complete(answer, bytes, first, last)
  if answer.step ~= "rows" and answer.step ~= "copying" and answer.step ~= "asked" then refuse "an end before its answer" end
  if bytes:byte(last) ~= 0 or last < first then refuse "an end without its command" end
  if answer.step == "asked" then
    answer.failure = failures.new { kind = "refused", type = "InvalidInput",
      message = ("expected COPY %s, found another statement; the server has carried it out"):format(
        answer.copies == "in" and "FROM STDIN" or "TO STDOUT") }
  end
  answer.step, answer.tag = "ended", bytes:sub(first, last - 1)
  answer.about.affected = math.tointeger(tonumber(answer.tag:match " (%d+)$"))
  local is_of_rows = answer.columns and not answer.failure and answer.tag:find "^SELECT %d+$"
  if is_of_rows and answer.about.affected ~= answer.taken then
    refuse(("%d rows, and says that they are %s"):format(answer.taken, answer.about.affected))
  end
end

---The errors after which a statement is prepared anew: the server does not have it, has another one, or its columns are
---others now.
local forgets = { ["26000"] = true, ["42P05"] = true, ["0A000"] = true, ["08P01"] = true }

---The errors of a server that has not prepared what it was asked to, since another one was.
local is_of_pooler = { ["26000"] = true, ["42P05"] = true }

local function take_error(answer, bytes, first, last)
  local failure = failures.of_fields(messages.fields(bytes:sub(first, last)))
  if failure.kind == "broken" then refuse "an error without its SQLSTATE" end
  local statement = answer.statement
  if statement and statement.name and is_of_pooler[failure.sqlstate] then
    failure.message = failure.message .. "; behind a pooler, give prepare=off"
  end
  if statement and (answer.step == "parsing" or forgets[failure.sqlstate]) then
    forget(statement)
  end
  if answer.step == "ended" then failure.uncertain = true end -- a server that is stopped then has carried it out
  answer.failure, answer.step = answer.failure or failure, "failed"
  if answer.copies then M.wake(answer) end
end

-- ---- COPY ---------------------------------------------------------------------------------------

---Begins a COPY. Another statement has nothing to send to it.
local function begin_copy(way)
  return function(answer)
    if answer.copies ~= way or answer.step ~= "asked" then
      fail("InvalidInput", "a COPY " .. (way == "in" and "FROM STDIN needs copy_in" or "TO STDOUT needs copy_out"))
    end
    answer.step = "copying"
    M.wake(answer)
  end
end

local function take_chunk(answer, bytes, first, last)
  if answer.copies ~= "out" or answer.step ~= "copying" then refuse "rows of a COPY without one" end
  answer.chunks[#answer.chunks + 1], answer.held = bytes:sub(first, last), answer.held + (last - first + 1) + ROW
  M.wake(answer)
end

-- ---- messages -----------------------------------------------------------------------------------

---@alias bide.postgres.Take fun(answer: bide.postgres.Answer, bytes: string, first: integer, last: integer): integer?

---The functions that take a message of an answer. One that took those behind it as well returns where the next one is.
---@type table<string, bide.postgres.Take>
local takers = {
  ["1"] = function(answer)
    advance(answer, "parsing", "binding")
    if answer.is_preparing then answer.statement.state = "ready" end
  end,
  ["2"] = function(answer) advance(answer, "binding", "describing") end,
  n = function(answer) advance(answer, "describing", "rows") end,
  T = describe,
  D = add_rows,
  C = complete,
  I = function(answer)
    advance(answer, "rows", "ended")
    answer.tag = ""
  end,
  E = take_error,
  G = begin_copy "in",
  H = begin_copy "out",
  d = take_chunk,
  c = function(answer)
    if answer.copies ~= "out" or answer.step ~= "copying" then refuse "the end of a COPY without one" end
  end,
  Z = function(answer)
    if answer.step ~= "ended" and answer.step ~= "failed" then refuse "the end of an answer before it" end
  end,
}

---@type table<integer, bide.postgres.Take>
M.takers = {}
for letter, take in pairs(takers) do M.takers[letter:byte()] = take end

---@param kind integer the byte of a letter
function M.refuse_kind(kind)
  refuse(("a message %q"):format(string.char(kind)))
end

return M
