---Runs that come into a store on a file. Each function is called within a transaction.

local core = require "bide.core"
local ends = require "bide.record.store.sqlite.ends"
local mismatch = require "bide.record.store.mismatch"
local verbs = require "bide.record.store.verbs"

local hex = core.text.hex

local M = {}

---Writes each definition once, whatever the number of its waits.
---@param within bide.record.Transaction
---@return fun(definition: bide.record.Definition): integer
local function new_definer(within, now)
  local known = {}
  local function id_of(find, digest, insert, ...)
    local row = within.query(find, digest)[1]
    if row then return row.id end
    within.query(insert, ...)
    return within.query(find, digest)[1].id
  end
  return function(definition)
    if known[definition] then return known[definition] end
    local bundle, digest = definition.bundle, hex(verbs.digest(definition))
    local bundle_id = id_of("SELECT id FROM bundle WHERE digest = ?", hex(bundle.digest),
      "INSERT INTO bundle (digest, manifest, made) VALUES (?, ?, ?)", hex(bundle.digest), bundle.manifest, now)
    known[definition] = id_of("SELECT id FROM definition WHERE digest = ?", digest,
      "INSERT INTO definition (bundle, waiter, body, digest) VALUES (?, ?, ?, ?)", bundle_id, definition.waiter,
      definition.body, digest)
    return known[definition]
  end
end

local made_waits = [[
SELECT d.waiter, d.body, w.input FROM store_wait w JOIN definition d ON d.id = w.definition
WHERE w.run = ? AND w.position > ? ORDER BY w.position LIMIT 1000]]

---Finds the run that a submit token has made; ends the transaction if that was another request.
local function made_before(within, run)
  local row = run.submit_token and within.query([[SELECT r.id AS run, r.waits, r.submit_digest, r.need, r.keeps_going,
      r.jobs, r.lane, q.name AS queue
    FROM store_run r JOIN queue q ON q.id = r.queue WHERE r.submit_token = ?]], run.submit_token)[1]
  if not row then return nil end
  run.each(function() end) -- completes the digest
  if row.submit_digest ~= hex(run.submit_digest) then
    row.keeps_going = row.keeps_going ~= 0
    within.refuse(verbs.failure("refused", "%s", mismatch.describe(row, run, function(after)
      return within.query(made_waits, row.run, after)
    end)))
  end
  return { run = row.run, waits = row.waits, queue = row.queue, created = false }
end

local insert_run = [[
INSERT INTO store_run (queue, lane, need, keeps_going, jobs, opened, seed, about, history, submit_token, submit_digest, waits,
  open, began, deadline)
VALUES ((SELECT id FROM queue WHERE name = ?), ?, ?, ?, ?, 0, ?, ?, ?, ?, ?, 0, 0, 0, 0)]]

local insert_wait = [[
INSERT INTO store_wait (run, position, label, definition, input, token, delay, max_wait) VALUES (?, ?, ?, ?, ?, ?, ?, ?)]]

---Writes the waits of a run, each as it comes; ends the transaction if one is refused.
---@return integer count
---@return integer longest max wait
local function write_waits(within, id, run, now)
  local count, longest, mistake_of, define, refused = 0, 0, verbs.new_count(), new_definer(within, now), nil
  run.each(function(wait)
    count, longest = count + 1, math.max(longest, wait.max_wait)
    local mistake = mistake_of(wait)
    refused = refused or mistake
    if mistake then return mistake end
    within.query(insert_wait, id, count, wait.label, define(wait.definition), wait.input, wait.token, wait.delay, wait.max_wait)
  end)
  if count == 0 then refused = refused or "a run has at least one wait" end
  if refused then within.refuse(verbs.failure("refused", "%s", refused)) end
  return count, longest
end

---Writes a run with its waits, or finds the one that its submit token has made.
---@param within bide.record.Transaction
---@param run bide.record.NewRun
---@param clock fun(): integer
---@return bide.record.Submitted
function M.submit(within, run, clock)
  local before = made_before(within, run)
  if before then return before end
  within.query("INSERT OR IGNORE INTO queue (name) VALUES (?)", run.queue)
  within.query(insert_run, run.queue, run.lane, 1, run.keeps_going, run.jobs, run.seed, "", run.history,
    run.submit_token, "")
  local id = within.last_row()
  local count, longest = write_waits(within, id, run, clock())
  local began = clock()
  within.query([[UPDATE store_run SET need = ?, about = ?, submit_digest = ?, waits = ?, open = ?, began = ?, deadline = ?
    WHERE id = ?]], run.need, run.about, hex(run.submit_digest), count, count, began, began + longest, id)
  local open = math.min(run.jobs or count, count)
  ends.open_waits(within, id, 0, open, began, open > verbs.AT_ONCE and (run.spread or 0) / open or 0)
  return { run = id, waits = count, queue = run.queue, created = true }
end

return M
