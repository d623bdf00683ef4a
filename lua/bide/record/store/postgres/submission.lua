---Runs that come into a store in PostgreSQL. A submission has a session of its own, so that a long one delays nothing.

local answer = require "bide.record.store.answer"
local failures = require "bide.probe.postgres.failure"
local lists = require "bide.record.store.postgres.lists"
local mismatch = require "bide.record.store.mismatch"
local option = require "bide.text.option"
local server = require "bide.record.store.postgres.server"
local sessions = require "bide.postgres.session"
local statements = require "bide.record.store.postgres.statements"
local verbs = require "bide.record.store.verbs"

local types = sessions.types
local flag, whole = option.kinds.flag, option.kinds.integer

local M = {}

local copy = "COPY bide.staging (position, definition, branch, delay, max_wait, input, token) FROM STDIN"

---Returns what gives the waits of a run as rows, one after another, and what is known at its end.
---@param run bide.record.NewRun
---@return fun(): string? next_row
---@return { definitions: bide.record.Definition[], count: integer, mistake: string? } state
local function rows_of(run)
  local state, place_of, mistake_of = { definitions = {}, count = 0 }, {}, verbs.new_count()
  local function add(wait)
    local mistake = mistake_of(wait)
    state.mistake = state.mistake or mistake
    if mistake then return mistake end
    local place = place_of[wait.definition] or #state.definitions + 1
    place_of[wait.definition], state.definitions[place] = place, wait.definition
    state.count = state.count + 1
    if state.mistake then return end
    coroutine.yield(sessions.row(state.count, place, wait.label, wait.delay, wait.max_wait, wait.input, wait.token))
  end
  local reader = coroutine.create(function() run.each(add) end)
  return function()
    local is_done, row = coroutine.resume(reader)
    if not is_done then error(row, 0) end
    return row
  end, state
end

local put = { id = option.kinds.count }

---Writes what the waits have in common.
---@param session bide.postgres.session.Session
---@param definitions bide.record.Definition[]
---@return integer[]? ids
---@return bide.postgres.session.Failure? failure
local function define(session, definitions)
  local ids, bundle_ids = {}, {}
  for position, definition in ipairs(definitions) do
    local bundle = definition.bundle
    if not bundle_ids[bundle] then
      local row, failure = answer.row(put, session:query("SELECT bide.put_bundle($1, $2, $3) AS id", bundle.manifest,
        types.bytea(bundle.files or ""), bundle.signature))
      if not row then return nil, failure end
      bundle_ids[bundle] = row.id
    end
    local row, failure = answer.row(put, session:query("SELECT bide.put_definition($1, $2, $3) AS id", bundle_ids[bundle],
      definition.waiter, definition.body))
    if not row then return nil, failure end
    ids[position] = row.id
  end
  return ids
end

local submit = [[
SELECT run, waits, created FROM bide.submit($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)]]

local histories = { none = 0, some = 1, all = 2 }

---@param session bide.postgres.session.Session within a transaction
local function submit_within(session, run)
  local next_row, state = rows_of(run)
  local count, failure = session:copy_in(copy, next_row)
  if state.mistake then return nil, { kind = "refused", message = state.mistake } end
  if not count then return nil, failure end
  local ids
  ids, failure = define(session, state.definitions)
  if not ids then return nil, failure end
  return session:query(submit, run.queue, run.lane, run.keeps_going and "go" or "stop", run.need, run.jobs, run.seed, run.about,
    histories[run.history], run.submit_token, types.bytea(run.submit_digest), types.ints(ids), run.spread or 0)
end

local made = [[
SELECT r.id AS run, r.queue, r.lane, r.need, r.rule = 'go' AS keeps_going, r.jobs, r.waits FROM bide.runs r
WHERE r.submit_token = $1]]

local made_waits = lists.page("position, waiter, body, input", "position")

---Returns the refusal of a request whose submit token belongs to another one.
---@return bide.record.Failure
local function refuse_other(store, run)
  local rows = statements.ask(store, made, run.submit_token)
  if not rows[1] then return verbs.failure("away", "the run of the submit token is gone: submit again") end
  return verbs.failure("refused", "%s", mismatch.describe(rows[1], run, function(after)
    return (store.server:query("main", made_waits, rows[1].run, after))
  end))
end

---The verb `submit`.
---@param store bide.record.Postgres
---@param run bide.record.NewRun
---@return bide.record.Submitted?
---@return bide.record.Failure?
function M.submit(store, run)
  local session <close>, failure = store.server:open_for_long()
  if not session then return nil, failure end
  local rows
  rows, failure = session:query("SELECT bide.begin_submit($1)", run.queue)
  if not rows then return nil, server.failure(failures.without_effect(failure), store.role) end
  rows, failure = session:transaction(function(within) return submit_within(within, run) end)
  if not rows and failure.sqlstate == "BD004" then return nil, refuse_other(store, run) end
  if not rows then return nil, server.failure(failure, store.role) end
  local row
  row, failure = answer.row({ run = option.kinds.size, waits = whole, created = flag }, rows)
  if row then return { run = row.run, waits = row.waits, queue = run.queue, created = row.created } end
  failure.is_uncertain = true
  return nil, failure
end

return M
