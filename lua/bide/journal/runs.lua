---The waits of a journal. A run is what one command begins: one wait, or the waits of a fleet. It
---is written down before its first attempt, and each wait again after each of its attempts, so
---that a later process finds the state, the token and the history, and goes on.

local core = require "bide.core"
local fingerprint = require "bide.journal.fingerprint"
local moment = require "bide.journal.moment"
local recorded = require "bide.journal.recorded"
local Wait = require "bide.wait"

local json = core.json

local M = {}

---@class bide.JournalRun : an observer of its waits
---@field id integer
---@field journal bide.Journal
---@field rows table<userdata, integer> the rows of its waits, by their inputs
local Run = {}
Run.__index = Run

---Secrets stay out of the journal: it holds what is shown.
local function shown(value)
  return value and assert(json.encode(value, { redact = true })) or nil
end

---More of an output than this is not written after each attempt.
local LARGEST = 1 << 20

local function shown_output(output)
  local text = shown(output)
  return text and #text <= LARGEST and text or nil
end

---The inputs as they were asked for: a token that is new with each wait is no part of them.
local function inputs_of(prepared)
  local texts = {}
  for position, wait in ipairs(prepared) do
    local members = wait.input:value()
    if wait.waiter.token_member and type(members) == "table" then members[wait.waiter.token_member] = nil end
    texts[position] = assert(json.encode(members))
  end
  return fingerprint(table.concat(texts, "\n"))
end

local function run_of(journal, id)
  return setmetatable({ journal = journal, id = id, rows = {} }, Run)
end

-- ---- what is written ----------------------------------------------------------------

local insert_wait = [[
INSERT INTO wait (run, position, input, token, state, elapsed, delay, wall, boot, uptime)
VALUES (?, ?, ?, ?, ?, 0, NULL, ?, ?, ?)]]

local function write_run(query, journal, what, prepared, now)
  query("INSERT INTO run (recipe, waiter, inputs, sources, began, owner, process) VALUES (?, ?, ?, ?, ?, ?, ?)",
    what.recipe, what.waiter, inputs_of(prepared), assert(json.encode(what.sources)), now.wall, journal.owner,
    what.process)
  local id = journal.database:last_row()
  for position, wait in ipairs(prepared) do
    wait.from = { state = Wait.new_record(wait.waiter, wait.limits), elapsed = 0, attempts = 0, history = {} }
    query(insert_wait, id, position, shown(wait.input), wait.token, wait.from.state, now.wall, now.boot, now.uptime)
    wait.row = journal.database:last_row()
  end
  return id
end

---@class bide.RunDescription
---@field recipe string the path of the recipe
---@field waiter string
---@field sources { name: string, fingerprint: string }[] what the waits are made of
---@field process integer

---Writes down waits that are about to begin. What it has written survives the loss of power: a
---token that was sent must not be forgotten.
---@param journal bide.Journal
---@param what bide.RunDescription
---@param prepared bide.PreparedWait[]
---@return bide.JournalRun?
---@return string? mistake
function M.begin(journal, what, prepared)
  local now = moment.now()
  local id, mistake = journal:transact(function(query) return write_run(query, journal, what, prepared, now) end, true)
  if not id then return nil, mistake end
  local run = run_of(journal, id)
  for _, wait in ipairs(prepared) do run.rows[wait.input] = wait.row end
  return run
end

---As many as a wait keeps in its history.
local FIRST, LAST = 50, 50

---Which attempt is kept no longer once `attempt` is there; nil where all are.
local function forgotten(attempt)
  return attempt > FIRST + LAST and attempt - LAST or nil
end

local update_wait = [[
UPDATE wait SET state = ?, elapsed = ?, delay = ?, wall = ?, boot = ?, uptime = ?, attempts = ?, output = ?, error = ?
WHERE id = ?]]

function Run.started() end

---An attempt after which another one comes. One that ends the wait is told with its outcome, and
---one that was cut is made again.
function Run:attempted(wait, entry)
  if not entry.delay then return end
  local now, row, elapsed = moment.now(), self.rows[wait.input], core.loop.now() - wait.state:started()
  local state, attempts, text = wait.state:save(), wait.attempts, shown(entry)
  local output, failure = shown_output(wait.output), shown(wait.error)
  self.journal:post(function(query)
    query(update_wait, state, elapsed, math.floor(entry.delay * 1000 + 0.5), now.wall, now.boot, now.uptime, attempts,
      output, failure, row)
    query("INSERT OR REPLACE INTO attempt VALUES (?, ?, ?)", row, attempts, text)
    query("DELETE FROM attempt WHERE wait = ? AND attempt = ?", row, forgotten(attempts))
  end)
end

---A wait that was cancelled has not ended: it can be resumed, unless its run has.
function Run:ended(wait, record)
  if record.reason == "cancelled" then return end
  local row, text = self.rows[wait.input], shown(record)
  self.journal:post(function(query)
    query("UPDATE wait SET outcome = ?, attempts = ? WHERE id = ?", text, record.attempts, row)
  end)
end

---The run is over. One that was interrupted is to be resumed.
---@param interrupted boolean
function Run:finish(interrupted)
  local ended = not interrupted and core.loop.wall() or nil
  self.journal:post(function(query)
    query("UPDATE run SET owner = NULL, ended = ? WHERE id = ?", ended, self.id)
  end)
end

-- ---- what is found ------------------------------------------------------------------

local find_runs = [[
SELECT *, (SELECT max(attempts) FROM wait WHERE run = run.id) AS attempts FROM run
WHERE recipe = ? AND waiter = ? AND inputs = ? AND ended IS NULL ORDER BY id]]

local function waits_of(query, id)
  return query("SELECT * FROM wait WHERE run = ? ORDER BY position", id)
end

---A token that the caller gave is that of the wait that is meant.
local function has_tokens(waits, prepared)
  for position, row in ipairs(waits) do
    local wait = prepared[position]
    if wait.token and not wait.is_new_token and wait.token ~= row.token then return false end
  end
  return true
end

---The run that is meant; nil where there is none to be resumed.
local function choose(query, journal, what, prepared)
  local found, running = {}, nil
  for _, run in ipairs(query(find_runs, what.recipe, what.waiter, inputs_of(prepared))) do
    run.waits = waits_of(query, run.id)
    if not has_tokens(run.waits, prepared) then run.waits = nil
    elseif journal:is_alive(run.owner) then running = run
    else found[#found + 1] = run end
  end
  if #found == 0 and running then
    return nil, ("process %d waits for this already, as run %d"):format(running.process, running.id)
  end
  if #found < 2 then return found[1] end
  local lines = { "which run is to be resumed? `bide journal prune RUN` forgets one of" }
  for _, run in ipairs(found) do
    lines[#lines + 1] = ("  run %d, begun %s, %d attempts"):format(run.id,
      os.date("!%Y-%m-%dT%H:%M:%SZ", run.began // 1000), run.attempts)
  end
  return nil, table.concat(lines, "\n")
end

---The first of the sources that is not what it was.
local function changed(run, what)
  local now = {}
  for _, source in ipairs(what.sources) do now[source.name] = source.fingerprint end
  for _, source in ipairs(json.decode(run.sources)) do
    if now[source.name] ~= source.fingerprint then
      return ("%s has changed since run %d began, so that it cannot be resumed; `bide journal prune %d` forgets it")
        :format(source.name, run.id, run.id)
    end
  end
end

local function document(text)
  return text and assert(json.read(text)) or nil
end

local function entries_of(query, row)
  local entries = {}
  for position, attempt in ipairs(query("SELECT entry FROM attempt WHERE wait = ? ORDER BY attempt", row.id)) do
    entries[position] = json.decode(attempt.entry)
    entries[position].error = entries[position].error and json.document(entries[position].error)
  end
  return entries
end

---What a wait goes on from.
local function resumption(query, row, wait, now)
  local passed, jump = moment.since(row, now)
  local from = {
    state = row.state, elapsed = row.elapsed + passed, delay = row.delay and math.max(row.delay - passed, 0),
    attempts = row.attempts, output = document(row.output), error = document(row.error), history = entries_of(query, row),
  }
  if not core.wait.restore(wait.waiter.compiled, row.state, 0) then return nil, "it was written by another version of bide" end
  return from, jump
end

---Puts what was recorded in place of what was prepared.
local function take_up(query, run, prepared, now)
  local jump, told
  for position, row in ipairs(run.waits) do
    local wait = prepared[position]
    if row.outcome then
      prepared[position] = recorded.new(wait, row.outcome)
    else
      if row.token then wait:take_token(row.token) end
      wait.row = row.id
      wait.from, told = resumption(query, row, wait, now)
      if not wait.from then return nil, told end
      jump = jump or told
    end
  end
  return true, jump
end

---@class bide.Resumed
---@field run bide.JournalRun
---@field began integer milliseconds since 1970
---@field attempts integer the most that one of its waits had made
---@field ended integer how many of its waits had ended
---@field jump string? how the wall clock was set meanwhile

---Finds the run that the same command began and that has not ended, and puts what was recorded
---into `prepared`. Without one it gives nil, and nothing else.
---@param journal bide.Journal
---@param what bide.RunDescription
---@param prepared bide.PreparedWait[]
---@return bide.Resumed?
---@return string? mistake
function M.resume(journal, what, prepared)
  local now, mistake, found, jump = moment.now(), nil, nil, nil
  local done, failure = journal:transact(function(query)
    found, mistake = choose(query, journal, what, prepared)
    if found then mistake = changed(found, what) end
    if not found or mistake then return end
    local ok
    ok, jump = take_up(query, found, prepared, now)
    if not ok then mistake = jump return end
    query("UPDATE run SET owner = ?, process = ? WHERE id = ?", journal.owner, what.process, found.id)
  end, true)
  mistake = not done and failure or mistake and ("the journal %s: %s"):format(journal.file, mistake)
  if mistake or not found then return nil, mistake end
  local run, ended = run_of(journal, found.id), 0
  for position, wait in ipairs(prepared) do
    if wait.row then run.rows[wait.input] = wait.row end
    if found.waits[position].outcome then ended = ended + 1 end
  end
  return { run = run, began = found.began, attempts = found.attempts, ended = ended, jump = jump }
end

return M
