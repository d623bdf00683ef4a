---Views of a store in PostgreSQL: runs, what becomes of their waits, workers and queues.

local answer = require "bide.record.store.answer"
local core = require "bide.core"
local option = require "bide.text.option"
local statements = require "bide.record.store.postgres.statements"
local tables = require "bide.text.tables"
local types = require("bide.postgres.session").types
local verbs = require "bide.record.store.verbs"

local json = core.json
local all, fail, peek = statements.all, statements.fail, statements.peek
local flag, list_kind, text, whole = option.kinds.flag, option.kinds.table, option.kinds.text, option.kinds.integer

local M = {}

---Returns what selects a page of the waits of a run after a position or a rank: at most 1,000, and 8 MiB of documents and one
---more wait, for which an answer has room.
---@param columns string
---@param order "position"|"rank"
function M.page(columns, order)
  return ([[
SELECT %s FROM (SELECT *, sum(size) OVER (ORDER BY %s ROWS UNBOUNDED PRECEDING) - size AS before
  FROM (SELECT *, octet_length(input) + octet_length(body) + coalesce(octet_length(outcome), 0)
      + coalesce(octet_length(output), 0) + coalesce(octet_length(error), 0) AS size
    FROM bide.waits WHERE run = $1 AND %s > $2 ORDER BY %s LIMIT 1000) x) y
WHERE before < 8388608 ORDER BY %s]]):format(columns, order, order, order, order)
end

local counters = [[
SELECT r.id AS run, r.queue, r.about, r.need, r.waits, r.open, r.succeeded, r.failed, r.cancelled, r.began, r.deadline, r.decided,
  r.ended, r.outcome AS state, bide.clock() AS clock, r.workers, r.waiter, r.recipe,
  CASE WHEN r.waits <= 1000 THEN (SELECT max(w.attempts) FROM bide.waits w WHERE w.run = r.id) END AS attempts
FROM bide.runs r]]

local ends = M.page("position, rank, branch AS label, waiter, outcome, input, output, error, attempts, deadline, ended", "rank")

local histories_of = [[
SELECT position, entry FROM (SELECT a.position, a.entry, a.attempt, a.at,
    row_number() OVER (PARTITION BY a.position ORDER BY a.attempt, a.at) AS first,
    row_number() OVER (PARTITION BY a.position ORDER BY a.attempt DESC, a.at DESC) AS last
  FROM bide.attempts a WHERE a.run = $1 AND a.position = ANY ($2)) x
WHERE first <= 50 OR last <= 50 ORDER BY position, attempt, at]]

---Adds the histories of waits, their first and last entries.
local function add_histories(store, run, list)
  local positions, by_position = {}, {}
  for _, one in ipairs(list) do
    one.history = json.array {}
    positions[#positions + 1], by_position[one.position] = one.position, one
  end
  if #positions == 0 then return end
  local failure = store.server:peek_each(function(row) table.insert(by_position[row.position].history, row.entry) end,
    histories_of, run, types.ints(positions))
  if failure then fail(failure) end
end

---@return table? row nil if there is no such run
local function run_of(store, run)
  local row = peek(store, counters .. " WHERE r.id = $1", run)[1]
  local failure = row and answer.failure_of_run(row)
  if failure then fail(failure) end
  if row and row.run ~= run then fail(answer.broken(("run %d in place of %d"):format(row.run, run))) end
  return row
end

---The verb `follow`.
function M.follow(store, run, cursor)
  local row = run_of(store, run)
  if not row then return nil, verbs.unknown_run(run) end
  local list = all(answer.ended, peek(store, ends, run, cursor))
  add_histories(store, run, list)
  for _, one in ipairs(list) do one.began = row.began end
  return row, list
end

---Looks up each wait by itself, since the view uses its indices only for a position that is known.
local kept = [[
SELECT a.position, a.attempt, a.entry FROM unnest($2::int[], $3::int[]) s(position, attempt) CROSS JOIN LATERAL
  (SELECT x.position, x.attempt, x.entry, x.at FROM bide.attempts x
    WHERE x.run = $1 AND x.position = s.position AND x.attempt > s.attempt ORDER BY x.attempt, x.at LIMIT 1000) a
ORDER BY a.position, a.attempt, a.at LIMIT 1000]]

---The verb `attempts`.
function M.attempts(store, run, seen)
  local positions, numbers = {}, {}
  for position, attempt in pairs(seen) do positions[#positions + 1], numbers[#numbers + 1] = position, attempt end
  return all(answer.kept, peek(store, kept, run, types.ints(positions), types.ints(numbers)))
end

---@type table<string, fun(store: bide.record.Postgres, filter: bide.record.Filter): bide.record.Listed>
local lists = {}

local of_state = { open = " AND r.ended IS NULL", ended = " AND r.ended IS NOT NULL" }

function lists.runs(store, filter)
  local token <const> = filter.submit_token
  local parameters = { filter.after or 0, filter.queue, filter.limit or 100, token }
  return answer.runs(peek(store, counters .. " WHERE r.id > $1 AND ($2::text IS NULL OR r.queue = $2)"
    .. (of_state[filter.state] or "") .. (token and " AND r.submit_token = $4" or "") .. " ORDER BY r.id LIMIT $3",
    table.unpack(parameters, 1, token and 4 or 3)))
end

local waits = M.page("position, branch AS label, waiter, input, token, attempts, due, worker, deadline, output, error, outcome, "
  .. "ended", "position")

---The most waits of which `show` has the rows.
local SHOWN = 1000

---Returns the first waits of a run.
---@return table[] rows
local function first_waits(store, run)
  local list = {}
  repeat
    local after = #list > 0 and list[#list].position or 0
    local rows = all(answer.wait, peek(store, waits, run, after))
    if rows[1] and rows[1].position <= after then fail(answer.broken "the waits of a run are in no order") end
    table.move(rows, 1, math.min(#rows, SHOWN - #list), #list + 1, list)
  until #rows == 0 or #list >= SHOWN
  return list
end

function lists.run(store, filter)
  local row = run_of(store, filter.run)
  if not row then return {} end
  local list = first_waits(store, filter.run)
  add_histories(store, filter.run, list)
  return { run = row, waits = json.array(list) }
end

local living = {
  id = whole, name = text, kind = text, version = text, host = text, pid = whole, slots = whole, held = whole, began = whole,
  lease = whole, formats = list_kind, queues = list_kind,
}

function lists.workers(store)
  local rows = all(living, peek(store, [[SELECT id, name, kind, version, host, pid, slots, held, began, lease, formats,
    queues FROM bide.workers WHERE lease > 0 ORDER BY began, id]]))
  for _, row in ipairs(rows) do
    row.formats.n, row.queues.n = nil, nil
    for position, name in ipairs(row.queues) do row.queues[position] = { name = name, weight = 1 } end
  end
  return { workers = json.array(rows) }
end

function lists.queues(store)
  local rows = all({ name = text, due = whole, open = whole, workers = whole, may_work = flag },
    peek(store, "SELECT name, due, open::bigint AS open, workers, may_work FROM bide.queues ORDER BY name"))
  return { queues = json.array(rows) }
end

---The verb `list`.
function M.list(store, filter)
  return lists[filter.what](store, filter)
end

---Its files and its owner are sent with it.
local defined = tables.merged(answer.definition, { files = text, owner = text })

---The verb `definition`.
function M.definition(store, id)
  local row = peek(store, "SELECT * FROM bide.definition_of($1)", id)[1]
  local mistake = row and answer.mistake(defined, row)
  if mistake then return nil, verbs.failure("broken", "definition %d: %s", id, mistake) end
  if not row then return nil, verbs.failure("broken", "there is no definition %d", id) end
  return {
    id = id, waiter = row.waiter, body = row.body, bundle_id = row.bundle_id, owner = row.owner, is_mine = row.is_mine,
    bundle = { digest = row.digest, manifest = row.manifest, files = row.files, signature = row.signature },
  }
end

return M
