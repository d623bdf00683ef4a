---A store in PostgreSQL, for the workers of many machines. The statements of the verbs are functions of the schema
---(`schema.sql`), which hold the rights and the fences; here they are called.
---
---Two sessions, so that a slow claim delays no beat: one claims, settles, finishes and lists, the other one beats, reaps and
---maintains. A session that was lost is opened again by the next verb; after that the worker compares what it holds.

local answer = require "bide.record.store.answer"
local core = require "bide.core"
local lists = require "bide.record.store.postgres.lists"
local option = require "bide.text.option"
local requests = require "bide.record.journal.requests"
local server = require "bide.record.store.postgres.server"
local sessions = require "bide.postgres.session"
local statements = require "bide.record.store.postgres.statements"
local submission = require "bide.record.store.postgres.submission"
local tables = require "bide.text.tables"
local verbs = require "bide.record.store.verbs"

local json, loop, types = core.json, core.loop, sessions.types
local all, ask, ask_beside, fail, need, only = statements.all, statements.ask, statements.ask_beside, statements.fail,
  statements.need, statements.only
local flag, list_kind, text, whole = option.kinds.flag, option.kinds.table, option.kinds.text, option.kinds.integer

local M = {}

---@class bide.record.Postgres.Worker : bide.record.Worker
---@field queues table<string, integer|false> their ids; false for one on which the role had no right when it entered

---@class bide.record.Postgres : bide.Store
---@field server bide.record.Server
---@field role string as whom its sessions are opened
---@field queue_ids table<string, integer>
---@field is_full table<integer, boolean> whether the last claim of a queue had all that was wanted
---@field pause integer in milliseconds, between two sweeps of a queue, and between two looks for what only they find
---@field swept table<string, integer> when something was last looked for, on the loop's clock
---@field moves table<string, any[]> the calls of sweeps that have more to move
---@field differs boolean whether a session was lost since the last sync
local Store = {}
Store.__index = Store

---In milliseconds, between two looks for what a claim leaves aside, for orphans, and for waits that are over.
local PAUSE = 5000

---The turns that a sweep sets aside or takes back at a time.
local MOVED = 500

---The batches of 5,000 waits that one verb removes after a run was decided, and those that reap moves; reap does what is
---left.
local BATCHES = 20

---Reports whether something is to be looked for again.
local function is_due(store, what)
  local now = loop.update()
  if store.swept[what] and now - store.swept[what] < store.pause then return false end
  store.swept[what] = now
  return true
end

-- ---- workers -----------------------------------------------------------------------------------

local entered = { id = whole, queues = list_kind, lease = whole, ahead = whole, writes_format = whole }

---Returns the queues among some in which the role may work now; all of them if it may in none, so that the store says so.
---@param names string[]
---@return string[] names
local function open_to_work(store, names)
  local rows = all({ name = text }, ask_beside(store,
    "SELECT name FROM bide.queues WHERE may_work AND name = ANY ($1) ORDER BY array_position($1, name)", types.texts(names)))
  return #rows > 0 and tables.mapped(rows, function(row) return row.name end) or names
end

function Store:enter(about)
  local names, queues = {}, {}
  for position, queue in ipairs(about.queues) do names[position], queues[queue.name] = queue.name, false end
  if about.is_again and #names > 1 then names = open_to_work(self, names) end
  local row = only(entered, ask_beside(self,
    "SELECT e.id, e.queues, a.lease, a.ahead, a.writes_format FROM bide.enter($1, $2, $3, $4, $5, $6, $7, $8) e, "
    .. "bide.about() a", about.name, about.kind, about.version, about.host, about.pid, types.texts(names),
    about.slots, types.ints(about.formats)))
  for position, name in ipairs(names) do queues[name] = row.queues[position] end
  self.writes = row.writes_format
  self.lease, self.ahead, self.differs, self.moves = row.lease, row.ahead, false, {}
  self.server:name_sessions(("bide-worker/%d"):format(row.id))
  return { id = row.id, queues = queues }
end

local beaten = { matches = flag, cancelled = list_kind, clock = whole }

---The clock is that of the end, as near as can be to the answer; the clock of a claim is that of its beginning.
function Store:beat(me, held)
  local row = only(beaten, ask_beside(self,
    "SELECT matches, cancelled, bide.clock() AS clock FROM bide.beat($1, $2, $3)", me.id, held.count, held.sum))
  row.cancelled.n = nil
  return row.cancelled, self.differs or not row.matches, row.clock
end

function Store:leave(me)
  ask(self, "SELECT bide.leave($1)", me.id)
  return true
end

function Store:strike(me, accident)
  local rows = all({ strikes = whole, run = whole, position = whole }, ask(self,
    "SELECT strikes, run, position FROM bide.strike($1, $2, $3, $4)", me.id, accident.worker, accident.wait or 0,
    accident.reason))
  return rows[1] or false
end

function Store:refuse(me, bundle)
  ask(self, "SELECT bide.refuse($1, $2)", me.id, bundle)
  return true
end

-- ---- turns -------------------------------------------------------------------------------------

---Returns the id of a queue that this role has a right on.
---@return integer? id
local function queue_of(store, me, name)
  if me.queues[name] or store.queue_ids[name] then return me.queues[name] or store.queue_ids[name] end
  local rows = all({ id = whole }, ask(store, "SELECT id FROM bide.queues WHERE name = $1", name))
  store.queue_ids[name] = rows[1] and rows[1].id
  return store.queue_ids[name]
end

---The table of a row has room for 16 members, and a worker adds some of its own: what most turns do not have is NULL.
local claimed = [[
SELECT id, due, deadline, attempts, nullif(strikes, 0) AS strikes, definition, format, state, input, token, seed, output, error,
  owner, keeps
FROM]]

---Claims turns of one lane, as far as the lanes before it have left something, and sums up what they have together.
local claim_lane = [[
l:n AS MATERIALIZED (SELECT :n AS place, c.* FROM bide.claim($1, $2, $:p, $3 - (SELECT count FROM n:m), $4, $5,
    $6 - (SELECT bytes FROM n:m)) c WHERE (SELECT count < $3 AND (count = 0 OR bytes < $6) FROM n:m)),
n:n AS MATERIALIZED (SELECT n.count + l.count AS count, n.bytes + l.bytes AS bytes FROM n:m n, (SELECT count(*)::int AS count,
    coalesce(sum(octet_length(input) + coalesce(octet_length(output), 0) + coalesce(octet_length(error), 0)), 0)::bigint AS bytes
    FROM l:n) l)]]

---Returns a statement that claims turns of some lanes, whose numbers are its last parameters. Its last row is that of no turn:
---its deadline is the clock, so that this needs no statement of its own.
---@param lanes integer their number
---@return string
local function claiming(lanes)
  local parts, rows = { "n0 AS (SELECT 0 AS count, 0::bigint AS bytes)" }, {}
  for place = 1, lanes do
    parts[place + 1] = claim_lane:gsub(":(%l)", { n = place, m = place - 1, p = 6 + place })
    rows[place] = ("SELECT * FROM l%d"):format(place)
  end
  rows[lanes + 1] = ("SELECT %d, NULL, NULL, bide.clock()%s"):format(lanes + 1, (", NULL"):rep(13))
  return ("WITH %s %s (%s) t ORDER BY place, due, id"):format(table.concat(parts, ",\n"), claimed,
    table.concat(rows, " UNION ALL "))
end

---A claim of one lane needs no sums, and so no copy of what it finds.
local claim_one = claimed .. ([[
 (SELECT * FROM bide.claim($1, $2, $7, $3, $4, $5, $6) UNION ALL SELECT NULL, NULL, bide.clock()%s) t
ORDER BY due, id]]):format((", NULL"):rep(13))

local claims = { claim_one, claiming(2), claiming(3) }

---Adds what takes back what others have set aside and this worker takes, and sets aside what it refuses.
local function add_sweep(list, me, queue, lanes)
  for _, lane in ipairs(lanes) do list[#list + 1] = { "SELECT bide.set_aside($1, $2, $3) AS moved", me.id, queue, lane } end
  list[#list + 1] = { "SELECT bide.take_back($1, $2) AS moved", me.id, queue }
end

local moved = { moved = whole }

---Fails for a queue which a worker has not entered, since its role had no right on it then. Once it has, the worker enters
---anew.
local function fail_without_right(store, me, name)
  local rows = ask(store, "SELECT name FROM bide.queues WHERE may_work AND name = $1", name)
  if rows[1] then
    ask(store, "SELECT bide.leave($1)", me.id)
    fail(verbs.failure("expired", "the role may work in the queue %s again", name))
  end
  local failure = verbs.failure("refused", "the role may not work in the queue %s", name)
  failure.is_right = true
  fail(failure)
end

---Claims turns of some lanes.
---@param me bide.record.Worker
---@param calls any[][] what else is sent
---@return integer clock
---@return bide.record.Turn[]
---@return table[][] answers those of the calls behind it
local function claim(store, me, queue, want, lanes, count, room, calls)
  table.insert(calls, 1, { claims[#lanes], me.id, queue, count, want.ahead, want.back, room, table.unpack(lanes) })
  local answers = need(store.server:query_all("main", calls))
  local turns = answers[1]
  local last = only({ deadline = whole }, { table.remove(turns) })
  for position = 2, #calls do only(moved, answers[position]) end
  return last.deadline, turns, answers
end

---All lanes are asked at once, unless much is due: the first lane alone mostly has all that is wanted then, and the server
---copies it once less.
function Store:claim(me, want)
  if me.queues[want.queue] == false then fail_without_right(self, me, want.queue) end
  local queue = queue_of(self, me, want.queue)
  if not queue then return only({ clock = whole }, ask(self, "SELECT bide.clock() AS clock")).clock, {} end
  local lanes, room, calls = want.lanes, want.bytes or verbs.most.claimed, {}
  local is_sweep = me.queues[want.queue] and want.back == math.maxinteger and is_due(self, want.queue)
  if is_sweep then add_sweep(calls, me, queue, lanes) end
  local first = self.is_full[queue] and { lanes[1] } or lanes
  local clock, turns, answers = claim(self, me, queue, want, first, want.want, room, calls)
  for position = 2, #calls do
    if answers[position][1].moved >= MOVED then self.moves[table.concat(calls[position], " ")] = calls[position] end
  end
  local left, _, others = want.want - #turns, nil, {}
  self.is_full[queue] = left == 0
  if left == 0 or #first == #lanes then return clock, turns end
  room = room - core.turns.weigh(turns)
  if room > 0 then _, others = claim(self, me, queue, want, table.move(lanes, 2, #lanes, 1, {}), left, room, {}) end
  return clock, table.move(others, 1, #others, #turns + 1, turns)
end

---The ids of what was written come as one list: a table for each of them costs more than all else of the answer.
local settle = [[
SELECT array_agg(id) AS ids FROM bide.settle($1, $2, $3, $4, $5, $6::int[]::smallint[], $7, $8, $9, $10)]]

---Returns the texts of a member. Where no result has one, the list is empty: the server reads no list of NULLs then.
local function texts_of(list, member)
  if core.turns.have(list, member) then return types.texts(list, member) end
  return types.texts {}
end

local function settling(me, list, keep)
  return { settle, me.id, keep, types.bigints(list, "id"), types.ints(list, "attempts"), types.bigints(list, "due"),
    types.ints(list, "format"), types.byteas(list, "state"), texts_of(list, "output"), texts_of(list, "error"),
    texts_of(list, "entry") }
end

---Returns the ids of an answer, which has none where nothing was written.
---@param rows table[]
---@return integer[]
local function ids_of(rows)
  local ids = rows[1] and rows[1].ids
  if type(ids) ~= "table" then return {} end
  ids.n = nil
  return ids
end

function Store:settle(me, results)
  local released, kept, calls = {}, {}, {}
  for position = 1, #results do
    local result <const> = results[position]
    local list <const> = result.keep and kept or released
    list[#list + 1] = result
  end
  if #released > 0 then calls[1] = settling(me, released, false) end
  if #kept > 0 then calls[#calls + 1] = settling(me, kept, true) end
  local answers, written = need(self.server:query_all("main", calls)), {}
  for position, rows in ipairs(answers) do
    local ids = ids_of(rows)
    written = position == 1 and ids or table.move(ids, 1, #ids, #written + 1, written)
  end
  return written
end

---Removes the waits of decided runs that are left, some thousands at a time.
---@param run? integer any run if it is nil
local function clear(store, run)
  for _ = 1, BATCHES do
    local row = only({}, ask(store, "SELECT bide.clear($1) AS left", run))
    if not row.left or run and row.left == 0 then return end
  end
end

---Removes them after what decides a run was written, which stays so if this fails: reap removes them then.
local try_to_clear = statements.catching(clear)

local finish = [[
SELECT array_agg(id) AS ids, bool_or(opened) AS opened, bool_or(decided) AS decided
FROM bide.finish($1, $2, $3, $4, $5::text[]::boolean[], $6)]]

function Store:finish(me, outcomes)
  local successes = {}
  for position, one in ipairs(outcomes) do successes[position] = tostring(one.state == "success") end
  local row = only({}, ask(self, finish, me.id, types.bigints(outcomes, "id"), types.ints(outcomes, "attempts"),
    types.texts(outcomes, "outcome"), types.texts(successes), types.texts(outcomes, "entry")))
  if row.decided then try_to_clear(self) end
  return ids_of { row }, row.opened or false
end

---It also learns in which form states are written, which an upgrade raises.
function Store:sync(me, held)
  local answers = need(self.server:query_all("main", {
    { "SELECT id, attempts FROM bide.sync($1, $2)", me.id, types.bigints(held) }, { "SELECT writes_format FROM bide.about()" },
  }))
  local rows, about = all({ id = whole, attempts = whole }, answers[1]), only({ writes_format = whole }, answers[2])
  self.differs, self.writes = false, about.writes_format
  local attempts = {}
  for _, row in ipairs(rows) do attempts[row.id] = row.attempts end
  return attempts
end

---Ends waits that are over, until none is left.
---@return integer ended
local function expire(store)
  local ended = 0
  for _ = 1, BATCHES do
    local row = only({ ended = whole }, ask_beside(store, "SELECT bide.expire() AS ended"))
    ended = ended + row.ended
    if row.ended == 0 then break end
  end
  return ended
end

---Continues what sweeps have begun to set aside or to take back, beside the claims.
local function move(store)
  local moves = store.moves
  store.moves = {}
  for name, call in pairs(moves) do
    for batch = 1, BATCHES do
      local rows, failure = store.server:query("beside", table.unpack(call))
      if failure and failure.kind == "expired" then return end -- the next sweep begins it again
      local row = only(moved, need(rows, failure))
      if row.moved < MOVED then break end
      if batch == BATCHES then store.moves[name] = call end
    end
  end
end

function Store:reap()
  local with_all = is_due(self, "reap")
  local row = only({ workers = whole, turns = whole },
    ask_beside(self, "SELECT workers, turns FROM bide.reap($1)", with_all))
  local reaped = { workers = row.workers, turns = row.turns, ended = with_all and expire(self) or 0 }
  clear(self)
  move(self)
  return reaped
end

function Store:maintain()
  local again = false
  repeat
    local row = only({ more = flag }, ask_beside(self, "SELECT more FROM bide.maintain($1)", again))
    again = row.more
  until not again
  return true
end

function Store:lag(queue)
  local row = only({ lag = option.kinds.number }, ask_beside(self, "SELECT bide.lag($1) AS lag", queue))
  return row.lag
end

-- ---- the pace of hosts ----------------------------------------------------------------------------

local reserved = { first = whole, granted = whole, gap = whole, free = whole, clock = whole }

function Store:reserve(me, what)
  return only(reserved, ask_beside(self, "SELECT first, granted, gap, free, clock FROM bide.reserve($1, $2, $3, $4, $5, $6, $7)",
    me.id, me.queues[what.queue], what.host, what.gap, what.burst, what.count, what.lead or 0))
end

function Store:give_back(me, slots, free)
  local row = only({}, ask_beside(self, "SELECT bide.give_back($1, $2, $3, $4, $5, $6) AS is_free", me.id,
    me.queues[slots.queue], slots.host, slots.count, free, slots.gap))
  return row.is_free
end

function Store:close_host(me, host)
  ask_beside(self, "SELECT bide.close_host($1, $2, $3, $4 - bide.clock())", me.id, me.queues[host.queue], host.host,
    host.closed_until)
  return true
end

function Store:closed_hosts(me)
  local list = {}
  for queue, id in pairs(me.queues) do
    local rows = id and all({ host = text, closed_until = whole },
      ask_beside(self, "SELECT host, closed_until FROM bide.closed_hosts($1, $2)", me.id, id)) or {}
    for _, row in ipairs(rows) do
      list[#list + 1] = { queue = queue, host = row.host, closed_until = row.closed_until }
    end
  end
  return list
end

-- ---- bide.once -----------------------------------------------------------------------------------

---Returns the path in which the parameters of two requests differ.
---@return string? path
local function difference(known, request)
  local parameters, mistake = json.decode(known)
  if mistake then fail(verbs.failure("broken", "request.parameters: expected JSON")) end
  return requests.difference(parameters, json.decode(request.parameters))
end

---A request whose worker is gone is taken over once its parameters were compared here: the database compares only their text.
function Store:once(me, request)
  local known
  while true do
    local row = only({ answer = text }, ask_beside(self,
      "SELECT answer, parameters, result FROM bide.once($1, $2, $3, $4, $5, $6, $7, $8)", me.id, request.wait, request.attempt,
      request.identity, request.token, request.parameters, tostring(request.anew), known))
    if row.answer == "mine" or row.answer == "late" then return row.answer end
    local path = difference(row.parameters, request)
    if path then return "mismatch", path end
    if row.answer ~= "ask" then return row.answer, row.result end
    known = row.parameters
  end
end

function Store:once_end(me, request, how)
  local row = only({}, ask_beside(self, "SELECT bide.once_end($1, $2, $3, $4, $5, $6, $7, $8, $9) AS is_mine", me.id,
    request.wait, request.attempt, request.identity, request.token, how.result, tostring(how.is_done), how.retain, how.late))
  return row.is_mine
end

-- ---- what becomes of a run ---------------------------------------------------------------------------

local cancelled = { answer = option.one_of { "cancelled", "ended", "unknown" } }

function Store:cancel(run)
  local row = only(cancelled, ask(self, "SELECT bide.cancel($1) AS answer", run))
  if row.answer == "cancelled" then try_to_clear(self, run) end
  return row.answer
end

local pruned = { answer = option.one_of { "pruned", "open", "unknown", "more" } }

function Store:prune(run)
  local row
  repeat
    row = only(pruned, ask(self, "SELECT bide.prune($1) AS answer", run))
  until row.answer ~= "more"
  return row.answer
end

Store.submit = submission.submit
Store.follow, Store.attempts, Store.list, Store.definition = lists.follow, lists.attempts, lists.list, lists.definition

function Store:close()
  self.server:close()
end

for _, name in ipairs(verbs.names) do Store[name] = statements.catching(Store[name]) end

---Opens a store. A server that is away is no mistake: the verbs say so, until it is back.
---@param url string
---@param opening bide.record.Opening
---@return bide.Store?
---@return string? mistake
function M.open(url, opening)
  local store = setmetatable({
    sends_files = true, queue_ids = {}, is_full = {}, swept = {}, moves = {}, pause = PAUSE, differs = false,
    lease = 10 * 1000000, ahead = 1000000,
  }, Store)
  local opened, mistake = server.new(url, function() store.differs = true end)
  if not opened then return nil, mistake end
  store.server, store.url, store.role = opened, opened.shown, opened.hosts[1].user
  if opening.before_connecting then opening.before_connecting(opened.hosts) end
  local row, failure = answer.row({ lease = whole, ahead = whole }, opened:query("main", "SELECT lease, ahead FROM bide.about()"))
  if row then
    store.lease, store.ahead = row.lease, row.ahead
  elseif failure.kind ~= "away" then
    opened:close()
    return nil, failure.message
  end
  return store
end

return M
