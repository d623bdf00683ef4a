---Checks the rows of a journal, column by column. They are treated as input: another version, or a person, may have written
---them, and a disk may have damaged them.

local core = require "bide.core"
local form = require "bide.text.form"
local option = require "bide.text.option"
local reasons = require "bide.wait.reasons"
local tables = require "bide.text.tables"

local json = core.json
local or_null = option.or_null
local is_text, list, object, one_of, optional, whole = form.text, form.list, form.object, form.one_of, form.optional, form.whole

local M = {}

---The last time that has a date of four digits, and the longest span: both in milliseconds.
local LAST_TIME, LONGEST = 253402300799999, 1e15

local function decoded(text)
  if not is_text(text) then return nil end
  local value, mistake = json.decode(text)
  if not mistake then return value end
end

local function is_span(value) return type(value) == "number" and value >= 0 and value <= LONGEST end

local is_count, is_position = whole(0, 2 ^ 53), whole(1, 2 ^ 53)

local is_failure = object { type = is_text }

local entry = object {
  attempt = is_position, at = is_span, duration = is_span, delay = optional(is_span),
  state = optional(one_of("retry", "success", "failure")), acceptor = optional(whole(1, 2 ^ 31 - 1)), name = optional(is_text),
  error = optional(is_failure), note = optional(is_text), woken = optional(form.flag),
}

local is_outcome = object {
  waiter = is_text, operation = optional(is_text), state = one_of("success", "failure"),
  reason = one_of(table.unpack(reasons.names)),
  acceptor = optional(is_position), name = optional(is_text), message = is_text, attempts = is_count, elapsed = is_span,
  maxWait = is_span, error = optional(is_failure), seen = optional(list(tables.is_object)), history = list(entry),
  omitted = optional(is_count), traceback = optional(is_text), warnings = optional(list(is_text)),
}

---Reports whether a value is an outcome that does not contradict itself: a success comes from an acceptor.
---@param value any
function M.is_outcome(value)
  if not is_outcome(value) or value.reason == "acceptor" and not value.acceptor then return false end
  return value.state == "failure" or value.reason == "acceptor" and value.attempts > 0
end

---Reports whether a value is an entry of a history.
---@type fun(value: any): boolean
M.is_entry = entry

---Reports whether a value is an outcome with the attempt that decided.
local function outcome(value)
  if not M.is_outcome(value) then return false end
  local last = value.history[#value.history]
  if value.reason ~= "acceptor" then return true end
  return last ~= nil and last.state == value.state and last.acceptor == value.acceptor and last.attempt == value.attempts
end

local function json_of(check)
  return function(text)
    local value = decoded(text)
    return value ~= nil and check(value)
  end
end

local function is_json(text)
  return is_text(text) and json.read(text) ~= nil
end

local id = { "a whole number above 0", is_position }
local count = { "a whole number, 0 or more", is_count }
local text = { "a text", form.sql_text }
local token = { "a text that is not empty", function(value) return is_text(value) and value ~= "" end }
---The clock of a board without a battery may be before 1970.
local time = { "a time in milliseconds since 1970", whole(-LAST_TIME, LAST_TIME) }
local span = { "a number of milliseconds", whole(0, LONGEST | 0) }
local document = { "JSON", is_json }
local lock = { "the number of a lock", whole(0, math.maxinteger - 1) }

---The kind of each column that is read: its words, and the test of a value.
local columns = {
  run = {
    id = id, recipe = text, waiter = text, inputs = text, began = time, ended = or_null(time), reported = or_null(time),
    sources = { "JSON, a list of names and fingerprints", json_of(list(object { name = is_text, fingerprint = is_text })) },
    outcome = or_null { "success or failure", one_of("success", "failure") }, seal = or_null(text),
    question = or_null { "JSON, a key and digests", json_of(object { key = is_text, parts = form.map(is_text) }) },
    owner = or_null(lock), process = or_null(count),
  },
  wait = {
    id = id, run = id, position = id, input = document, token = or_null(token), state = text, elapsed = span,
    delay = or_null(span), wall = time, boot = or_null(text), uptime = span, attempts = count, output = or_null(document),
    error = or_null { "JSON, an operation error", json_of(is_failure) },
    outcome = or_null { "JSON, an outcome", json_of(outcome) }, rank = or_null(id),
    branch = or_null(text), recipe = or_null(text), waiter = or_null(text),
    limits = or_null { "JSON, the limits of a wait", json_of(tables.is_object) },
  },
  attempt = { entry = { "JSON, an entry of a history", json_of(entry) } },
  request = {
    identity = text, token = text, parameters = text, began = time, result = or_null(text), ended = or_null(time),
    retain = or_null(span), late = or_null(span), owner = or_null(lock), process = or_null(count),
  },
}

local names_of = {}
for name, kinds in pairs(columns) do names_of[name] = option.sorted_names(kinds) end

local function describe(value)
  if value == nil then return "NULL" end
  if type(value) ~= "string" then return tostring(value) end
  return ("%q"):format(#value > 40 and value:sub(1, 40) .. "…" or value)
end

---Ends the transaction if a row is not as bide writes it.
---@param journal bide.Journal
---@param kind "run"|"wait"|"attempt"|"request"
---@param row table<string, any>
---@return table<string, any> row
function M.row(journal, kind, row)
  for _, name in ipairs(names_of[kind]) do
    local column = columns[kind][name]
    if not column[2](row[name]) then
      journal.refuse("it is broken: %s.%s: expected %s, found %s", kind, name, column[1], describe(row[name]))
    end
  end
  return row
end

---Checks the rows of a statement, and returns them.
---@param journal bide.Journal
---@param kind "run"|"wait"|"attempt"|"request"
---@param rows table[]
---@return table[] rows
function M.rows(journal, kind, rows)
  for _, row in ipairs(rows) do M.row(journal, kind, row) end
  return rows
end

---Returns the rows of the waits of a run, in their order.
---@param journal bide.Journal
---@param query fun(sql: string, ...): table[]
---@param run integer
---@return table[] rows
function M.waits(journal, query, run)
  return M.rows(journal, "wait", query("SELECT * FROM wait WHERE run = ? ORDER BY position", run))
end

---Returns what f makes of the entries of a wait's history, which are JSON.
---@param journal bide.Journal
---@param query fun(sql: string, ...): table[]
---@param wait integer
---@param f fun(entry: string): any
---@return any[]
function M.history(journal, query, wait, f)
  local rows = M.rows(journal, "attempt", query("SELECT entry FROM attempt WHERE wait = ? ORDER BY attempt", wait))
  return tables.mapped(rows, function(row) return f(row.entry) end)
end

return M
