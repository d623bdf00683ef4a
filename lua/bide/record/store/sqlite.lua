---A store in a file of this machine: tables beside those of a journal, for any number of processes of one user. A worker
---is alive as long as its process holds a lock on a byte of the file beside it, which the kernel releases at its end.

local answer = require "bide.record.store.answer"
local core = require "bide.core"
local ends = require "bide.record.store.sqlite.ends"
local journals = require "bide.record.journal"
local lists = require "bide.record.store.sqlite.lists"
local luv = require "luv"
local pace = require "bide.record.store.sqlite.pace"
local requests = require "bide.record.journal.requests"
local submission = require "bide.record.store.sqlite.submission"
local states = require "bide.record.store.state"
local verbs = require "bide.record.store.verbs"

local json = core.json

local M = {}

---@class bide.record.File : bide.Store
---@field journal bide.Journal
---@field mine table<integer, true> the locks of the workers that entered here
local Store = {}
Store.__index = Store

---In microseconds: a worker on a file has no lease but its lock; what workers claim ahead; the time after which ended runs
---are forgotten.
local LEASE, AHEAD, RETAIN = 10 * 1000000, 1000000, 30 * 86400 * 1000000

---Returns the clock of the store.
---@return integer
local function clock()
  local seconds, microseconds = luv.gettimeofday()
  return seconds * 1000000 + microseconds
end

local function bytes_of(text)
  return (text:gsub("%x%x", function(byte) return string.char(tonumber(byte, 16)) end))
end

-- ---- transactions ------------------------------------------------------------------------------

---The kinds of failures of SQLite; all others may pass.
local kinds = { corrupt = "broken", foreign = "broken" }

---@class bide.record.Transaction
---@field query fun(sql: string, ...): table[]
---@field changes fun(): integer the rows that the last statement changed
---@field last_row fun(): integer the number of the row that was written last
---@field refuse fun(failure: bide.record.Failure) ends it

---Runs f as a transaction, which writes all or nothing.
---@param store bide.record.File
---@param f fun(within: bide.record.Transaction): any
---@param is_durable? boolean whether it survives a loss of power
---@return any result what f returned, or true
---@return bide.record.Failure? failure
local function transact(store, f, is_durable)
  local journal, refused = store.journal, nil
  local function refuse(failure)
    refused = failure
    journal.refuse("%s", failure.message)
  end
  local function changes() return journal.database:changes() end
  local function last_row() return journal.database:last_row() end
  local result, mistake, kind = journal:transact(function(query)
    return f { query = query, changes = changes, last_row = last_row, refuse = refuse }
  end, is_durable)
  if result then return result end
  if kind == "closed" then return nil, verbs.closed() end
  return nil, refused or verbs.failure(kinds[kind] or "away", "%s", mistake)
end

local function expired()
  return verbs.failure("expired", "the store does not know this worker any more")
end

---Runs f as a transaction of a worker. Fails if it is not known any more.
---@param store bide.record.File
---@param me bide.record.Worker
---@param f fun(within: bide.record.Transaction): any
---@param is_durable? boolean
---@return any result
---@return bide.record.Failure? failure
local function transact_as(store, me, f, is_durable)
  return transact(store, function(within)
    if not within.query("SELECT id FROM worker WHERE id = ?", me.id)[1] then within.refuse(expired()) end
    return f(within)
  end, is_durable)
end

---Queries the file without a lock.
---@param store bide.record.File
---@return table[]? rows
---@return bide.record.Failure? failure
local function peek(store, sql, ...)
  if store.journal.closed then return nil, verbs.closed() end
  local rows, failure = store.journal.database:query(sql, ...)
  if rows then return rows end
  return nil, verbs.failure("away", "%s", failure.message)
end

-- ---- workers -----------------------------------------------------------------------------------

function Store:enter(about)
  local id, failure = journals.take_lock(self.journal.locks)
  if not id then return nil, verbs.failure("away", "%s", failure.message) end
  self.mine[id] = true
  local done
  done, failure = transact(self, function(within)
    within.query("INSERT INTO worker (id, about, formats, began) VALUES (?, ?, ?, ?)", id, assert(json.encode(about)),
      assert(json.encode(json.array(about.formats))), clock())
    for _, queue in ipairs(about.queues) do
      within.query("INSERT OR IGNORE INTO queue (name) VALUES (?)", queue.name)
    end
  end)
  if not done then return nil, failure end
  local queues = json.array {}
  for position, queue in ipairs(about.queues) do queues[position] = queue.name end
  return { id = id, queues = assert(json.encode(queues)) }
end

---Reports whether a worker is alive.
function Store:is_alive(id)
  return self.mine[id] or self.journal:is_alive(id)
end

function Store:beat(me, held)
  local turns = {}
  local cancelled, failure = transact_as(self, me, function(within)
    for _, row in ipairs(within.query("SELECT id, attempts FROM turn WHERE worker = ?", me.id)) do turns[row.id] = row end
    local waits = within.query("SELECT wait FROM notice WHERE worker = ? ORDER BY wait", me.id)
    for position, row in ipairs(waits) do waits[position] = row.wait end
    if #waits > 0 then within.query("DELETE FROM notice WHERE worker = ?", me.id) end
    return waits
  end)
  if not cancelled then return nil, failure end
  local known = verbs.held(turns)
  return cancelled, known.count ~= held.count or known.sum ~= held.sum, clock()
end

---@param within bide.record.Transaction
---@return integer released
local function end_worker(within, id)
  within.query("UPDATE turn SET worker = NULL WHERE worker = ?", id)
  local released = within.changes()
  within.query("DELETE FROM worker WHERE id = ?", id)
  return released
end

function Store:leave(me)
  self.mine[me.id] = nil
  return transact_as(self, me, function(within)
    end_worker(within, me.id)
  end)
end

local select_struck = [[
SELECT min(CAST(t.strikes AS INTEGER), ?) + 1 AS strikes, CAST(w.run AS INTEGER) AS run, CAST(w.position AS INTEGER) AS position,
  w.error
FROM turn t JOIN store_wait w ON w.id = t.id
WHERE t.id = ? AND t.worker = ?]]

---Adds a reason to those of a wait. Results write another error and set the strikes to 0, so above 1 it is the list.
local function add_reason(struck, reason)
  local reasons = struck.strikes > 1 and struck.error and json.decode(struck.error)
  if not json.is_array(reasons) then reasons = {} end
  reasons[#reasons + 1] = reason
  return assert(json.encode(json.array(reasons)))
end

function Store:strike(me, accident)
  local struck
  local done, failure = transact_as(self, me, function(within)
    struck = within.query(select_struck, verbs.STRIKES - 1, accident.wait or 0, accident.worker)[1]
    if struck then
      within.query("UPDATE turn SET strikes = ? WHERE id = ?", struck.strikes, accident.wait)
      within.query("UPDATE store_wait SET error = ? WHERE id = ?", add_reason(struck, accident.reason), accident.wait)
      struck.error = nil
    end
    end_worker(within, accident.worker)
    return true
  end)
  if not done then return nil, failure end
  return struck or false
end

function Store:refuse(me, bundle)
  return transact_as(self, me, function(within)
    within.query("INSERT OR IGNORE INTO refused VALUES (?, ?)", me.id, bundle)
  end)
end

-- ---- turns -------------------------------------------------------------------------------------

local candidates = [[
FROM turn WHERE queue = (SELECT id FROM queue WHERE name = ?) AND lane = ? AND worker IS NULL AND due BETWEEN ? AND ?
AND format IN (SELECT value FROM json_each((SELECT formats FROM worker WHERE id = ?)))
AND bundle NOT IN (SELECT bundle FROM refused WHERE worker = ?) ORDER BY due LIMIT ?]]

local select_turns = [[
SELECT t.id, t.due, t.deadline, t.attempts, nullif(t.strikes, 0) AS strikes, t.definition, t.format, t.state, w.input, w.token,
  w.output, w.error, w.position, r.seed, CASE r.history WHEN 'none' THEN 0 END AS keeps
FROM turn t JOIN store_wait w ON w.id = t.id JOIN store_run r ON r.id = w.run WHERE t.id = ?]]

---Reads a turn that was claimed. SQLite takes any value for a number: a turn with another value is claimed as one without
---attempts, to be ended with the mistake. One without a wait is removed.
---@param within bide.record.Transaction
---@param id integer
---@return bide.record.Turn?
local function read_turn(within, id)
  local turn = within.query(select_turns, id)[1]
  if not turn then
    within.query("DELETE FROM turn WHERE id = ?", id)
    return nil
  end
  local mistake = answer.mistake(answer.turn, turn)
  if not mistake then
    turn.seed = turn.seed ~ turn.position
    return turn
  end
  within.query("UPDATE turn SET attempts = 0 WHERE id = ?", id)
  turn.attempts, turn.strikes, turn.mistake = 0, nil, mistake
  return turn
end

---Looks for candidates without a lock first, so that a worker without work does not write.
function Store:claim(me, want)
  local now = clock()
  local least = want.back > now and 0 or now - want.back
  local function values(lane, count) return want.queue, lane, least, now + want.ahead, me.id, me.id, count end
  local known, failure = peek(self, "SELECT id FROM worker WHERE id = ?", me.id)
  if not known then return nil, failure end
  if not known[1] then return nil, expired() end
  local has_any = false
  for _, lane in ipairs(want.lanes) do
    local found = peek(self, "SELECT 1 " .. candidates, values(lane, 1))
    has_any = has_any or not found or found[1] ~= nil
  end
  if not has_any then return now, {} end
  local turns
  turns, failure = transact_as(self, me, function(within)
    local list, bytes = {}, 0
    for _, lane in ipairs(want.lanes) do
      for _, row in ipairs(within.query("SELECT id " .. candidates, values(lane, want.want - #list))) do
        if list[1] and bytes >= (want.bytes or verbs.most.claimed) then return list end
        within.query("UPDATE turn SET worker = ? WHERE id = ?", me.id, row.id)
        local turn = read_turn(within, row.id)
        bytes = bytes + (turn and verbs.weight(turn) or 0)
        list[#list + 1] = turn
      end
    end
    return list
  end)
  if not turns then return nil, failure end
  return now, turns
end

---Writes an entry of a history, and drops those between the first and the last ones.
local function write_entry(within, id, attempt, entry)
  if not entry then return end
  within.query("INSERT OR REPLACE INTO store_attempt VALUES (?, ?, ?)", id, attempt, entry)
  local most = verbs.most.history
  if attempt <= 2 * most then return end
  within.query("DELETE FROM store_attempt WHERE wait = ? AND attempt > ? AND attempt <= ?", id, most, attempt - most)
end

local update_turn = [[
UPDATE turn SET due = ?, attempts = ?, format = ?, state = ?, strikes = 0, worker = ?
WHERE id = ? AND worker = ? AND attempts = ?]]

---Writes a column, unless it stays as it is.
local function write_column(within, id, name, value)
  if value == nil then return end
  within.query(("UPDATE store_wait SET %s = ? WHERE id = ?"):format(name), value ~= "" and value or nil, id)
end

function Store:settle(me, results)
  return transact_as(self, me, function(within)
    local written = {}
    for _, result in ipairs(results) do
      within.query(update_turn, result.due, result.attempts, result.format, result.state, result.keep and me.id or nil,
        result.id, me.id, result.attempts - 1)
      if within.changes() == 1 then
        written[#written + 1] = result.id
        write_column(within, result.id, "output", result.output)
        write_column(within, result.id, "error", result.error)
        write_entry(within, result.id, result.attempts, result.entry)
      end
    end
    return written
  end)
end

function Store:sync(me, held)
  return transact_as(self, me, function(within)
    local is_held, still = {}, {}
    for _, id in ipairs(held) do is_held[id] = true end
    for _, row in ipairs(within.query("SELECT id, attempts FROM turn WHERE worker = ?", me.id)) do
      if is_held[row.id] then
        still[row.id] = row.attempts
      else
        within.query("UPDATE turn SET worker = NULL WHERE id = ?", row.id)
      end
    end
    return still
  end)
end

-- ---- the end of waits ----------------------------------------------------------------------------

local find_held = [[
SELECT w.run FROM turn t JOIN store_wait w ON w.id = t.id JOIN store_run r ON r.id = w.run
WHERE t.id = ? AND t.worker = ? AND t.attempts BETWEEN ? AND ?]]

function Store:finish(me, outcomes)
  local now, has_opened = clock(), false
  local written, failure = transact_as(self, me, function(within)
    local written = {}
    for _, one in ipairs(outcomes) do
      local held = within.query(find_held, one.id, me.id, one.attempts - 1, one.attempts)[1]
      if held then
        written[#written + 1] = one.id
        write_entry(within, one.id, one.attempts, one.entry)
        local has_more = ends.end_wait(within, {
          id = one.id, run = held.run, outcome = one.outcome, attempts = one.attempts,
          state = one.state == "success" and "succeeded" or "failed",
        }, now)
        has_opened = has_opened or has_more
      end
    end
    return written
  end, true)
  if not written then return nil, failure end
  return written, has_opened
end

function Store:cancel(id)
  local now = clock()
  return transact(self, function(within)
    local run = within.query("SELECT * FROM store_run WHERE id = ?", id)[1]
    if not run then return "unknown" end
    if run.ended then return "ended" end
    within.query("UPDATE store_run SET decided = ?, outcome = 'failure' WHERE id = ?", now, id)
    ends.cancel_rest(within, id, now)
    return "cancelled"
  end, true)
end

---Writes only if there is something to release or to end.
function Store:reap()
  local now, dead, overdue, unopened = clock(), {}, nil, nil
  local late = now - verbs.OVERDUE
  local workers, failure = peek(self, "SELECT id FROM worker")
  if workers then overdue, failure = peek(self, ends.find_overdue, late) end
  if overdue then unopened, failure = peek(self, ends.find_unopened, late) end
  if not unopened then return nil, failure end
  for _, row in ipairs(workers) do
    if not self:is_alive(row.id) then dead[#dead + 1] = row.id end
  end
  local reaped = { workers = 0, turns = 0, ended = 0 }
  if #dead + #overdue + #unopened == 0 then return reaped end
  return transact(self, function(within)
    reaped = { workers = #dead, turns = 0, ended = 0 }
    for _, id in ipairs(dead) do reaped.turns = reaped.turns + end_worker(within, id) end
    for _, sql in ipairs { ends.find_unopened, ends.find_overdue } do
      for _, row in ipairs(within.query(sql, late)) do reaped.ended = reaped.ended + ends.end_overdue(within, row, now) end
    end
    return reaped
  end)
end

-- ---- the pace of hosts ---------------------------------------------------------------------------

function Store:reserve(me, what)
  return transact_as(self, me, function(within)
    return pace.reserve(within, what, clock())
  end)
end

function Store:give_back(me, slots, free)
  local is_free
  local done, failure = transact_as(self, me, function(within)
    is_free = pace.give_back(within, slots, free)
    return true
  end)
  if not done then return nil, failure end
  return is_free
end

function Store:close_host(me, host)
  return transact_as(self, me, function(within)
    pace.close(within, host, clock())
    return true
  end)
end

function Store:closed_hosts(me)
  return peek(self, pace.closed, clock(), me.queues)
end

-- ---- bide.once -----------------------------------------------------------------------------------

---The journal of the file, as its workers own requests there: by the lock that shows that they live.
local function journal_of(store, me)
  return setmetatable({ owner = me.id }, { __index = store.journal })
end

function Store:once(me, request)
  local claim, detail = requests.claim(journal_of(self, me), request, request.anew)
  if not claim then return nil, verbs.failure("away", "%s", detail) end
  return claim, detail
end

function Store:once_end(me, request, how)
  local journal = journal_of(self, me)
  if not how.is_done then
    requests.release(journal, request)
    return true
  end
  local done, mistake
  if how.result then
    local retain, late = how.retain and how.retain // 1000, how.late and how.late // 1000
    done, mistake = requests.record(journal, request, how.result, retain, late)
  else
    done, mistake = requests.free(journal, request)
  end
  if not done then return nil, verbs.failure("away", "%s", mistake) end
  return true
end

-- ---- submit --------------------------------------------------------------------------------------

function Store:submit(run)
  return transact(self, function(within) return submission.submit(within, run, clock) end, true)
end

-- ---- list and follow -----------------------------------------------------------------------------

---@return bide.record.View
local function view_of(store, within)
  return {
    query = within.query, refuse = within.refuse, now = clock(), lease = LEASE,
    is_alive = function(id) return store:is_alive(id) end,
  }
end

function Store:follow(id, cursor)
  local found
  local counters, failure = transact(self, function(within)
    local counters
    counters, found = lists.follow(view_of(self, within), id, cursor)
    return counters or within.refuse(verbs.unknown_run(id))
  end)
  if not counters then return nil, failure end
  return counters, found
end

function Store:attempts(run, seen)
  return transact(self, function(within) return lists.attempts(view_of(self, within), run, seen) end)
end

local least_due = [[
WITH lane (number) AS (VALUES (1), (2), (3))
SELECT min((SELECT min(due) FROM turn WHERE queue = q.id AND lane = number AND worker IS NULL)) AS due
FROM queue q, lane WHERE q.name = ?]]

function Store:lag(queue)
  local now = clock()
  local found, failure = peek(self, least_due, queue)
  if not found then return nil, failure end
  return math.max(0, now - (math.tointeger(found[1].due) or now)) / 1e6
end

function Store:list(filter)
  return transact(self, function(within) return lists.lists[filter.what](view_of(self, within), filter) end)
end

function Store:definition(id)
  return transact(self, function(within)
    local row = within.query([[SELECT d.waiter, d.body, d.bundle AS bundle_id, b.digest, b.manifest
      FROM definition d JOIN bundle b ON b.id = d.bundle WHERE d.id = ?]], id)[1]
    if not row then within.refuse(verbs.failure("broken", "there is no definition %d", id)) end
    local mistake = answer.mistake(answer.definition, row)
    if mistake then within.refuse(verbs.failure("broken", "definition %d: %s", id, mistake)) end
    return {
      id = id, waiter = row.waiter, body = row.body, bundle_id = row.bundle_id,
      bundle = { digest = bytes_of(row.digest), manifest = row.manifest },
    }
  end)
end

-- ---- retention -----------------------------------------------------------------------------------

---Deletes definitions and bundles that no wait has.
local function forget_definitions(within)
  within.query "DELETE FROM definition WHERE NOT EXISTS (SELECT 1 FROM store_wait WHERE definition = definition.id)"
  within.query "DELETE FROM bundle WHERE NOT EXISTS (SELECT 1 FROM definition WHERE bundle = bundle.id)"
end

function Store:maintain()
  return transact(self, function(within)
    pace.forget(within, clock())
    within.query("DELETE FROM store_run WHERE ended <= ?", clock() - RETAIN)
    if within.changes() > 0 then forget_definitions(within) end
  end)
end

function Store:prune(id)
  return transact(self, function(within)
    local run = within.query("SELECT ended FROM store_run WHERE id = ?", id)[1]
    if not run then return "unknown" end
    if not run.ended then return "open" end
    within.query("DELETE FROM store_run WHERE id = ?", id)
    forget_definitions(within)
    return "pruned"
  end)
end

function Store:close()
  self.journal:close()
end

---Opens the store in a file.
---@param url string
---@param file string
---@param opening bide.record.Opening
---@return bide.Store?
---@return string? mistake
function M.open(url, file, opening)
  local journal, mistake = journals.open_store(file, opening.must_exist)
  if not journal then return nil, mistake end
  return setmetatable({ url = url, sends_files = false, lease = LEASE, ahead = AHEAD, writes = states.FORMAT, journal = journal,
    mine = {} }, Store)
end

return M
