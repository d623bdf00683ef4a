---The ends of waits in a store on a file, which decide their runs and let further waits begin. Each function is called within
---a transaction.

local answer = require "bide.record.store.answer"

local M = {}

---The waits that are over, and have a turn. Its value is the latest deadline.
M.find_overdue = [[
SELECT t.id, w.run FROM turn t JOIN store_wait w ON w.id = t.id WHERE t.deadline <= ? ORDER BY t.id LIMIT 1000]]

---The waits that are over, of runs whose jobs were never free for them.
M.find_unopened = [[
SELECT w.id, w.run FROM store_run r JOIN store_wait w ON w.run = r.id AND w.position > r.opened
WHERE r.ended IS NULL AND r.opened < r.waits AND r.began + w.max_wait <= ? ORDER BY w.id LIMIT 1000]]

---A wait whose row is broken, or that has a turn, gets none: what opens it ends another one.
local insert_turn = [[
INSERT OR IGNORE INTO turn (id, due, deadline, queue, lane, bundle, definition)
SELECT w.id, max(r.began + w.delay, ?) + CAST((w.position - 1) * ? AS INTEGER), r.began + w.max_wait,
  r.queue, r.lane, d.bundle, w.definition
FROM store_wait w JOIN store_run r ON r.id = w.run JOIN definition d ON d.id = w.definition
WHERE w.run = ? AND w.position > ? AND w.position <= ? AND w.outcome IS NULL]]

---Opens the waits of a run up to a position.
---@param within bide.record.Transaction
---@param run integer
---@param from integer
---@param to integer
---@param now integer
---@param gap? number microseconds between the first attempts of two waits; 0 if it is nil
---@return integer count of those that had not ended
function M.open_waits(within, run, from, to, now, gap)
  within.query(insert_turn, now, gap or 0, run, from, to)
  local count = within.changes()
  within.query("UPDATE store_run SET opened = ? WHERE id = ?", to, run)
  return count
end

local end_rest = [[
UPDATE store_wait SET outcome = ?, ended = ?, rank = ? + rest.place,
  attempts = coalesce((SELECT attempts FROM turn WHERE turn.id = store_wait.id), 0)
FROM (SELECT id, row_number() OVER (ORDER BY position) AS place FROM store_wait WHERE run = ? AND outcome IS NULL) AS rest
WHERE store_wait.id = rest.id]]

---Cancels all waits of a run that have not ended, and leaves a notice to the workers that hold them. Those of a broken run get
---no rank and are not counted, as in end_wait.
---@param within bide.record.Transaction
---@param id integer
---@param now integer
function M.cancel_rest(within, id, now)
  local run = within.query("SELECT * FROM store_run WHERE id = ?", id)[1]
  local is_sound = not answer.mistake_of_run(run)
  if not is_sound or run.open > 0 then
    within.query([[INSERT OR IGNORE INTO notice SELECT worker, id FROM turn
      WHERE worker IS NOT NULL AND id IN (SELECT id FROM store_wait WHERE run = ?)]], id)
    within.query(end_rest, '"cancelled"', now, is_sound and run.waits - run.open or nil, id)
    within.query("DELETE FROM turn WHERE id IN (SELECT id FROM store_wait WHERE run = ?)", id)
  end
  if is_sound then within.query("UPDATE store_run SET cancelled = cancelled + open, open = 0 WHERE id = ?", id) end
  within.query("UPDATE store_run SET ended = coalesce(ended, ?) WHERE id = ?", now, id)
end

---Reports how a run is decided; nil while it is not.
local function decision_of(run)
  if run.succeeded >= run.need then return "success" end
  local lost = run.failed + run.cancelled
  if run.open == 0 or run.keeps_going == 0 and run.waits - lost < run.need then return "failure" end
end

---Counts the end of a wait, opens the next one, and cancels the others if that decides the run.
---@param within bide.record.Transaction
---@param run table its row
---@param state "succeeded"|"failed"
---@return boolean opened
local function count_end(within, run, state, now)
  local id = run.id
  run.open, run[state] = run.open - 1, run[state] + 1
  within.query(("UPDATE store_run SET open = ?, %s = ? WHERE id = ?"):format(state), run.open, run[state], id)
  local decision = decision_of(run)
  if decision then
    within.query("UPDATE store_run SET decided = coalesce(decided, ?), outcome = coalesce(outcome, ?) WHERE id = ?", now,
      decision, id)
    M.cancel_rest(within, id, now)
    return false
  end
  for position = run.opened + 1, run.waits do
    if M.open_waits(within, id, position - 1, position, now) > 0 then return true end
  end
  return false
end

local update_ended = "UPDATE store_wait SET outcome = ?, rank = ?, ended = ?, attempts = ? WHERE id = ?"

---@class bide.record.Ending
---@field id integer of the wait
---@field run integer
---@field outcome string JSON
---@field state "succeeded"|"failed"
---@field attempts integer

---Ends a wait. In a broken run it ends without a rank and is not counted, so that the run has no end that anybody believes,
---and no other run waits for it.
---@param within bide.record.Transaction
---@param one bide.record.Ending
---@param now integer
---@return boolean opened whether that has opened another wait of the run
function M.end_wait(within, one, now)
  local run = within.query("SELECT * FROM store_run WHERE id = ?", one.run)[1]
  local is_sound = not answer.mistake_of_run(run) and run.open > 0
  within.query(update_ended, one.outcome, is_sound and run.waits - run.open + 1 or nil, now, one.attempts, one.id)
  within.query("DELETE FROM turn WHERE id = ?", one.id)
  return is_sound and count_end(within, run, one.state, now)
end

---Ends a wait that is over, and that no worker has ended.
---@param within bide.record.Transaction
---@param row { id: integer, run: integer }
---@param now integer
---@return integer count of those that it ended
function M.end_overdue(within, row, now)
  within.query("INSERT OR IGNORE INTO notice SELECT worker, id FROM turn WHERE id = ? AND worker IS NOT NULL", row.id)
  local turn = within.query("SELECT attempts FROM turn WHERE id = ?", row.id)[1]
  local wait = within.query("SELECT outcome FROM store_wait WHERE id = ?", row.id)[1]
  if wait.outcome then -- one of the rows before has decided the run; or a person has written an outcome
    if turn then within.query("DELETE FROM turn WHERE id = ?", row.id) end
    return 0
  end
  M.end_wait(within, {
    id = row.id, run = row.run, outcome = '"maxWait"', state = "failed", attempts = turn and math.tointeger(turn.attempts) or 0,
  }, now)
  return 1
end

return M
