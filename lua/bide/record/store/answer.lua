---Checks the rows of a store. They are input: a person may have changed a row, or a function of the store, a disk may have
---damaged a file, and a server may be another program.

local core = require "bide.core"
local forms = require "bide.text.form"
local option = require "bide.text.option"
local verbs = require "bide.record.store.verbs"

local json = core.json

local M = {}

---@param words string
---@return bide.record.Failure
function M.broken(words)
  return verbs.failure("broken", "the store is broken: %s", words)
end

-- ---- forms ---------------------------------------------------------------------------------------

---The last time that has a date of four digits, in microseconds. The clock of a board without a battery may be before 1970.
local LAST_TIME = 253402300799999999

---@param least integer
---@param most integer
---@return bide.OptionKind
local function whole(least, most)
  return { ("a whole number from %d to %d"):format(least, most), forms.whole(least, most) }
end

local or_null = option.or_null
local id, count, size = whole(1, 1 << 53), whole(0, verbs.most.waits), whole(1, verbs.most.waits)
local attempts = option.kinds.integer -- those of a broken turn that was ended may be below 0
local text = { "a text", forms.sql_text }
local time = { "a time in microseconds since 1970", forms.whole(-LAST_TIME, LAST_TIME) }

---The members of a run that are read: bide.record.Counters.
M.counters = {
  run = id, queue = text, about = text, need = size, waits = size, open = count, succeeded = count, failed = count,
  cancelled = count, began = time, deadline = time, decided = or_null(time), ended = or_null(time), clock = time,
  workers = whole(0, math.maxinteger), state = or_null(option.one_of { "success", "failure" }), attempts = or_null(attempts),
  waiter = or_null(text), recipe = or_null(text),
}

---Those of the end of a wait: bide.record.End.
M.ended = {
  position = size, rank = size, waiter = text, outcome = text, input = text, attempts = attempts, deadline = time, ended = time,
  label = or_null(text), output = or_null(text), error = or_null(text), token = or_null(text),
}

---Those of a wait: bide.record.WaitRow.
M.wait = {
  position = size, waiter = text, input = text, attempts = attempts, deadline = time, due = or_null(time),
  worker = or_null(option.kinds.integer), label = or_null(text), token = or_null(text), output = or_null(text),
  error = or_null(text), outcome = or_null(text), ended = or_null(time),
}

---Those of an attempt that is kept: bide.record.Kept.
M.kept = { position = size, attempt = whole(1, math.maxinteger), entry = text }

---Those of a run in a file, which its ends count.
local kept = {
  id = id, need = size, waits = size, opened = count, open = count, succeeded = count, failed = count, cancelled = count,
  keeps_going = whole(0, 1),
}

---The recipe, the waiter and the options of waits: bide.record.Definition.Found. A file has the digest of its bundle as text.
M.definition = {
  waiter = text, body = text, bundle_id = option.kinds.integer, manifest = text, digest = option.kinds.text,
}

---The numbers of a turn in a file that are read before its documents are.
M.turn = {
  due = option.kinds.integer, deadline = option.kinds.integer, attempts = option.kinds.integer,
  strikes = or_null(option.kinds.integer), definition = option.kinds.integer, format = option.kinds.integer, position = size,
  seed = option.kinds.integer,
}

-- ---- checks --------------------------------------------------------------------------------------

---Returns what is wrong with a row.
---@param form table<string, bide.OptionKind>
---@param row table
---@return string? mistake
function M.mistake(form, row)
  for name, kind in pairs(form) do
    local mistake = option.mistake(row[name], kind)
    if mistake then return ("%s: %s"):format(name, mistake) end
  end
end

---Returns what is wrong with a run in a file. Each of its waits is open, or counted as ended.
---@param row table
---@return string? mistake
function M.mistake_of_run(row)
  local mistake = M.mistake(kept, row)
  if mistake then return mistake end
  if row.need > row.waits then return ("it needs %d successes of %d waits"):format(row.need, row.waits) end
  if row.opened > row.waits or row.open + row.succeeded + row.failed + row.cancelled ~= row.waits then
    return "its waits are not as many as it counts"
  end
end

---Returns rows that all have the members of a form; or nil and the failure.
---@param form table<string, bide.OptionKind>
---@param rows table[]?
---@param failure bide.record.Failure? where there are no rows
---@return table[]? rows
---@return bide.record.Failure? failure
function M.rows(form, rows, failure)
  if not rows then return nil, failure end
  for _, row in ipairs(rows) do
    local mistake = M.mistake(form, row)
    if mistake then return nil, M.broken(mistake) end
  end
  return rows
end

---Returns what is wrong with a run that is read. One that needs no success would be one whatever becomes of its waits.
---@param row table
---@return bide.record.Failure?
function M.failure_of_run(row)
  local mistake = M.mistake(M.counters, row)
  if not mistake and row.need > row.waits then
    mistake = ("it needs %d successes of %d waits"):format(row.need, row.waits)
  end
  if not mistake then return nil end
  return M.broken(id[2](row.run) and ("run %d: %s"):format(row.run, mistake) or mistake)
end

---Divides runs into those that are as bide writes them, and those that are not.
---@param rows table[]
---@return bide.record.Listed
function M.runs(rows)
  local listed = { runs = json.array {}, broken = {} }
  for _, row in ipairs(rows) do
    local failure = M.failure_of_run(row)
    if failure then
      table.insert(listed.broken, { run = row.run, is_open = row.ended == nil, failure = failure })
    else
      table.insert(listed.runs, row)
    end
  end
  return listed
end

---Returns the only row of an answer, which has the members of a form; or nil and the failure.
---@param form table<string, bide.OptionKind>
---@param rows table[]?
---@param failure bide.record.Failure? where there are no rows
---@return table? row
---@return bide.record.Failure? failure
function M.row(form, rows, failure)
  if rows and #rows ~= 1 then return nil, M.broken(("expected a row, found %d"):format(#rows)) end
  rows, failure = M.rows(form, rows, failure)
  if not rows then return nil, failure end
  return rows[1]
end

return M
