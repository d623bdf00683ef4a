---The waits of a journal. A run is what one command begins: one wait, or the waits of a fleet. It
---is written down before its first attempt, and each wait again after each of its attempts, so
---that a later process finds the state, the token and the history, and goes on.

local core = require "bide.core"
local duration = require "bide.duration"
local fingerprint = require "bide.journal.fingerprint"
local moment = require "bide.journal.moment"
local secret = require "bide.secret"
local Wait = require "bide.wait"

local json = core.json

local M = {}

---@class bide.JournalRun : an observer of its waits
---@field id integer
---@field journal bide.Journal
---@field rows table<userdata, integer> the rows of its waits, by their inputs
local Run = {}
Run.__index = Run

---Secrets stay out of the journal.
---@param mask bide.SecretMask
---@param of_input? boolean
local function shown(value, mask, of_input)
  return value and assert(json.encode(value, { redact = mask, input = of_input })) or nil
end

---More of an output than this is not written after each attempt.
local LARGEST = 1 << 20

local function shown_output(output, mask)
  local text = shown(output, mask)
  return text and #text <= LARGEST and text or nil
end

---The fingerprint of inputs as they were asked for: a token, which may be new with each wait, is no part of them,
---and secrets, which may be others by now, are none.
---@param prepared bide.PreparedWait[]
---@param has_secrets? boolean as in journals of bide 0.1.0, whose fingerprints had secrets in them
---@return string
function M.inputs_of(prepared, has_secrets)
  local texts = {}
  for position, wait in ipairs(prepared) do
    local members = wait.input:value()
    if wait.waiter.token_member and type(members) == "table" then members[wait.waiter.token_member] = nil end
    local mask = not has_secrets and secret.of_names(wait.waiter)
    texts[position] = assert(json.encode(members, { redact = mask, input = true }))
  end
  return fingerprint(table.concat(texts, "\n"))
end

---A run whose waits have rows; those without have ended.
---@param journal bide.Journal
---@param id integer
---@param prepared bide.PreparedWait[]
---@return bide.JournalRun
function M.of(journal, id, prepared)
  local rows = {}
  for _, wait in ipairs(prepared) do
    if wait.row then rows[wait.input] = wait.row end
  end
  return setmetatable({ journal = journal, id = id, rows = rows }, Run)
end

local insert_wait = [[
INSERT INTO wait (run, position, input, token, state, elapsed, delay, wall, boot, uptime)
VALUES (?, ?, ?, ?, ?, 0, NULL, ?, ?, ?)]]

local function write_run(query, journal, what, prepared, now)
  query("INSERT INTO run (recipe, waiter, inputs, sources, began, owner, process) VALUES (?, ?, ?, ?, ?, ?, ?)",
    what.recipe, what.waiter, M.inputs_of(prepared), assert(json.encode(what.sources)), now.wall, journal.owner,
    what.process)
  local id = journal.database:last_row()
  for position, wait in ipairs(prepared) do
    wait.from = { state = Wait.new_record(wait.waiter, wait.limits), elapsed = 0, attempts = 0, history = {} }
    local input = shown(wait.input, secret.of_wait(wait), true)
    query(insert_wait, id, position, input, wait.token, wait.from.state, now.wall, now.boot, now.uptime)
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
  return M.of(journal, id, prepared)
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
  local mask = secret.of_entry(wait, entry)
  local state, attempts, text = wait.state:save(), wait.attempts, shown(entry, mask)
  local output, failure = shown_output(wait.output, mask), shown(wait.error, mask)
  self.journal:post(function(query)
    query(update_wait, state, elapsed, duration.of_seconds(entry.delay), now.wall, now.boot, now.uptime, attempts,
      output, failure, row)
    query("INSERT OR REPLACE INTO attempt VALUES (?, ?, ?)", row, attempts, text)
    query("DELETE FROM attempt WHERE wait = ? AND attempt = ?", row, forgotten(attempts))
  end)
end

---A wait that was cancelled, or that a fault of bide stopped, has not ended: it can be resumed, unless its run has.
function Run:ended(wait, record)
  if record.reason == "cancelled" or record.fault then return end
  local row, text = self.rows[wait.input], shown(record, secret.of(record))
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

return M
