---Views of a store on a file: workers, queues, runs, and what becomes of a run's waits. Each function is called within a
---transaction.

local answer = require "bide.record.store.answer"
local core = require "bide.core"
local form = require "bide.text.form"
local verbs = require "bide.record.store.verbs"

local json = core.json

local M = {}

---The view of a store at one time.
---@class bide.record.View
---@field query fun(sql: string, ...): table[]
---@field refuse fun(failure: bide.record.Failure)
---@field is_alive fun(worker: integer): boolean
---@field now integer
---@field lease integer

---Returns what there is; ends the transaction with the failure if there is none.
---@generic T
---@param value T?
---@param failure bide.record.Failure?
---@return T
local function need(view, value, failure)
  if not value then view.refuse(failure --[[@as bide.record.Failure]]) end
  return value
end

local integer = form.whole(math.mininteger, math.maxinteger)

local is_about = form.object {
  name = form.text, pid = integer, slots = integer, queues = form.list(form.object { name = form.text }),
}

---Reads what another process, a person or a damaged disk may have written.
---@return table
local function about_of(view, row)
  local about = form.text(row.about) and json.decode(row.about)
  if not is_about(about) then view.refuse(verbs.failure("broken", "worker.about: expected the description of a worker")) end
  return about
end

---@param view bide.record.View
---@return bide.record.WorkerRow[]
local function workers_of(view)
  local list = json.array {}
  for _, row in ipairs(view.query "SELECT * FROM worker ORDER BY began, id") do
    if view.is_alive(row.id) then
      local about = about_of(view, row)
      about.id, about.began, about.lease = row.id, row.began, view.lease
      about.held = view.query("SELECT count(*) AS count FROM turn WHERE worker = ?", row.id)[1].count
      list[#list + 1] = about
    end
  end
  return list
end

---@param workers bide.record.WorkerRow[]
local function serving(workers, queue)
  local count = 0
  for _, worker in ipairs(workers) do
    for _, one in ipairs(worker.queues) do
      if one.name == queue then count = count + 1 end
    end
  end
  return count
end

---The waits of which the attempts are counted each time.
local FEW = 1000

local most_attempts = [[
SELECT max(coalesce(t.attempts, w.attempts)) AS most FROM store_wait w LEFT JOIN turn t ON t.id = w.id WHERE w.run = ?]]

---Returns the counters of a run, which are not checked yet.
local function counters_of(view, row, workers)
  local counters = {
    run = row.id, queue = row.queue_name, about = row.about, need = row.need, waits = row.waits, open = row.open,
    succeeded = row.succeeded, failed = row.failed, cancelled = row.cancelled, began = row.began, deadline = row.deadline,
    decided = row.decided, ended = row.ended, state = row.outcome, clock = view.now,
    workers = serving(workers, row.queue_name),
  }
  if math.type(counters.waits) == "integer" and counters.waits <= FEW then
    counters.attempts = view.query(most_attempts, row.id)[1].most
  end
  return counters
end

---Ends the transaction if a run is not as bide writes it.
---@return bide.record.Counters
local function checked(view, counters)
  local failure = answer.failure_of_run(counters)
  if failure then view.refuse(failure) end
  return counters
end

local select_run = "SELECT r.*, q.name AS queue_name FROM store_run r JOIN queue q ON q.id = r.queue "

local select_ends = [[
SELECT w.id, w.position, w.rank, w.label, d.waiter, w.outcome, w.input, w.token, w.output, w.error, w.attempts, w.ended,
  r.began, r.began + w.max_wait AS deadline
FROM store_wait w JOIN store_run r ON r.id = w.run JOIN definition d ON d.id = w.definition
WHERE w.run = ? AND w.rank > ? ORDER BY w.rank LIMIT 1000]]

---@return string[] entries JSON
local function history_of(view, wait)
  local rows = view.query("SELECT entry FROM store_attempt WHERE wait = ? ORDER BY attempt", wait)
  for position, row in ipairs(rows) do rows[position] = row.entry end
  return rows
end

---Returns the counters of a run, and up to 1,000 ends of its waits after a rank; nil if there is no such run.
---@param view bide.record.View
---@param id integer
---@param cursor integer
---@return bide.record.Counters?
---@return table[]? ends
function M.follow(view, id, cursor)
  local row = view.query(select_run .. "WHERE r.id = ?", id)[1]
  if not row then return nil end
  local counters = checked(view, counters_of(view, row, workers_of(view)))
  local ends = need(view, answer.rows(answer.ended, view.query(select_ends, id, cursor)))
  for _, one in ipairs(ends) do one.history = history_of(view, one.id) end
  return counters, ends
end

local select_kept = [[
SELECT w.position, a.attempt, a.entry FROM json_each(?) s
JOIN store_wait w ON w.run = ? AND w.position = json_extract(s.value, '$[0]')
JOIN store_attempt a ON a.wait = w.id AND a.attempt > json_extract(s.value, '$[1]')
ORDER BY w.position, a.attempt LIMIT 1000]]

---Returns attempts that are kept: of each wait in `seen`, those after the number there.
---@param view bide.record.View
---@param run integer
---@param seen table<integer, integer> by position
---@return bide.record.Kept[]
function M.attempts(view, run, seen)
  local pairs_of_wait = json.array {}
  for position, attempt in pairs(seen) do pairs_of_wait[#pairs_of_wait + 1] = json.array { position, attempt } end
  return need(view, answer.rows(answer.kept, view.query(select_kept, assert(json.encode(pairs_of_wait)), run)))
end

---The lists by the name of their subject.
---@type table<string, fun(view: bide.record.View, filter: table): table>
local lists = {}
M.lists = lists

function lists.workers(view)
  return { workers = workers_of(view) }
end

function lists.queues(view)
  local workers, now = workers_of(view), view.now
  local list = view.query([[SELECT q.name, count(t.id) AS open, count(CASE WHEN t.due <= ? THEN 1 END) AS due
    FROM queue q LEFT JOIN turn t ON t.queue = q.id GROUP BY q.id ORDER BY q.name]], now)
  for _, queue in ipairs(list) do queue.workers, queue.may_work = serving(workers, queue.name), true end
  return { queues = list }
end

local first_of_run = [[
SELECT d.waiter, b.manifest FROM store_wait w JOIN definition d ON d.id = w.definition JOIN bundle b ON b.id = d.bundle
WHERE w.run = ? ORDER BY w.position LIMIT 1]]

local function run_row(view, row, workers)
  local counters, first = counters_of(view, row, workers), view.query(first_of_run, row.id)[1] or {}
  counters.waiter, counters.recipe = first.waiter, tostring(first.manifest):match "main=([^\n]*)"
  return counters
end

function lists.runs(view, filter)
  local workers, where = workers_of(view), "WHERE r.id > ? AND (? IS NULL OR q.name = ?) AND (? IS NULL OR r.submit_token = ?)"
  if filter.state then where = where .. " AND r.ended IS " .. (filter.state == "open" and "NULL" or "NOT NULL") end
  local list = view.query(select_run .. where .. " ORDER BY r.id LIMIT ?", filter.after or 0, filter.queue, filter.queue,
    filter.submit_token, filter.submit_token, filter.limit or 100)
  for position, row in ipairs(list) do list[position] = run_row(view, row, workers) end
  return answer.runs(list)
end

local select_waits = [[
SELECT w.id, w.position, w.label, d.waiter, w.input, w.token, coalesce(t.attempts, w.attempts) AS attempts, t.due, t.worker,
  r.began + w.max_wait AS deadline, w.output, w.error, w.outcome, w.ended
FROM store_wait w JOIN store_run r ON r.id = w.run JOIN definition d ON d.id = w.definition LEFT JOIN turn t ON t.id = w.id
WHERE w.run = ? ORDER BY w.position LIMIT 1000]]

function lists.run(view, filter)
  local row = view.query(select_run .. "WHERE r.id = ?", filter.run)[1]
  if not row then return {} end
  local waits = need(view, answer.rows(answer.wait, view.query(select_waits, filter.run)))
  for _, wait in ipairs(waits) do wait.history = history_of(view, wait.id) end
  return { run = checked(view, run_row(view, row, workers_of(view))), waits = waits }
end

return M
