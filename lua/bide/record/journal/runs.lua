---Records the waits of a journal. A run is everything that one command begins: one wait, or the waits of a fleet. It is
---written before its first attempt, and each wait again after each of its attempts, so that a later process finds the
---state, the token and the history, and continues.

local core = require "bide.core"
local duration = require "bide.text.duration"
local moment = require "bide.record.journal.moment"
local questions = require "bide.record.journal.question"
local secret = require "bide.text.secret"
local sources = require "bide.record.journal.sources"
local stored_outcome = require "bide.record.stored_outcome"
local Wait = require "bide.wait.run"

local json = core.json

local M = {}

---@class bide.JournalRun : an observer of its waits
---@field id integer
---@field journal bide.Journal
---@field rows table<userdata, integer> the rows of its waits that have not ended, by their inputs
---@field unwritten table<integer, bide.journal.Progress> the progress that is not written yet, by row
---@field ended_count integer the number of waits that have ended
local Run = {}
Run.__index = Run

---Encodes a value for the journal, without its secrets.
---@param mask bide.SecretMask
---@param of_input? boolean
local function shown(value, mask, of_input)
  return value and assert(json.encode(value, { redact = mask, input = of_input })) or nil
end

---Returns the input of a wait as JSON, without its secrets.
---@param wait bide.PreparedWait
---@return string
function M.shown_input(wait)
  return shown(wait.input, secret.of_wait(wait), true)
end

---The most bytes of an output that are written after each attempt.
local LARGEST = 1 << 20

local function shown_output(output, mask)
  local text = shown(output, mask)
  return text and #text <= LARGEST and text or nil
end

---Returns the acceptors that the command line gave a waiter, as JSON; nil if it gave none.
local function given_acceptors(waiter)
  local given = {}
  for _, acceptor in ipairs(waiter.acceptors) do
    if acceptor.option then given[#given + 1] = sources.plain(acceptor) end
  end
  return #given > 0 and assert(json.encode(given)) or nil
end

---Returns the recipe and the waiter of a wait if they are not those of its run.
---@param what bide.RunDescription
---@param waiter bide.Waiter
---@return string? recipe
---@return string? name
function M.own_waiter(what, waiter)
  local recipe = sources.path(waiter.files[1])
  return recipe ~= what.recipe and recipe or nil, waiter.name ~= what.waiter and waiter.name or nil
end

---Returns everything that decides what a wait waits for, except its input.
local function identity_of(what, waiter)
  local recipe, name = M.own_waiter(what, waiter)
  local texts = { recipe or "", name or "", given_acceptors(waiter) or "" }
  return table.concat(texts) ~= "" and "\n" .. table.concat(texts, "\n") or ""
end

---Returns the fingerprint by which releases before 0.3.0 found a run: of the input of each wait, the acceptors of the
---command line, and the recipe and the waiter if there are several, without tokens and secrets.
---@param what bide.RunDescription
---@param prepared bide.PreparedWait[]
---@param has_secrets? boolean as in journals of bide 0.1.0, whose fingerprints contain secrets
---@return string
function M.inputs_of(what, prepared, has_secrets)
  local texts, identities = {}, {}
  for position, wait in ipairs(prepared) do
    local members, waiter = wait.input:value(), wait.waiter
    if waiter.token_member and type(members) == "table" then members[waiter.token_member] = nil end
    local mask = not has_secrets and secret.of_names(waiter)
    identities[waiter] = identities[waiter] or identity_of(what, waiter)
    texts[position] = assert(json.encode(members, { redact = mask, input = true })) .. identities[waiter]
  end
  return sources.fingerprint(table.concat(texts, "\n"))
end

---Makes a run of waits that have rows; waits without a row have ended.
---@param journal bide.Journal
---@param id integer
---@param prepared bide.PreparedWait[]
---@return bide.JournalRun
function M.of(journal, id, prepared)
  local rows, ended = {}, 0
  for _, wait in ipairs(prepared) do
    if wait.row then rows[wait.input] = wait.row else ended = ended + 1 end
  end
  return setmetatable({ journal = journal, id = id, rows = rows, unwritten = {}, ended_count = ended }, Run)
end

---Returns the fingerprint by which a run is found: of everything that it was begun with, and of the tokens that may have
---been sent.
---@param run { recipe: string, waiter: string, inputs: string, sources: string, began: integer, question: string? }
---@param tokens string[] those of its waits, in their order
---@return string
function M.seal(run, tokens)
  return sources.fingerprint(table.concat({ run.recipe, run.waiter, run.inputs, run.sources, run.began, run.question }, "\n")
    .. "\n" .. table.concat(tokens, "\n"))
end

local insert_run = [[
INSERT INTO run (recipe, waiter, inputs, sources, began, seal, question, owner, process)
VALUES (?, ?, '', ?, ?, ?, ?, ?, ?)]]

local insert_wait = [[
INSERT INTO wait (run, position, input, token, state, elapsed, delay, wall, boot, uptime, branch, recipe, waiter, limits)
VALUES (?, ?, ?, ?, ?, 0, NULL, ?, ?, ?, ?, ?, ?, ?)]]

local function write_run(query, journal, what, prepared, now)
  local tokens = {}
  for position, wait in ipairs(prepared) do tokens[position] = wait.token or "" end
  local run = {
    recipe = what.recipe, waiter = what.waiter, inputs = "", sources = assert(json.encode(what.sources)), began = now.wall,
    question = what.question:record(),
  }
  query(insert_run, run.recipe, run.waiter, run.sources, run.began, M.seal(run, tokens), run.question, journal.owner,
    what.process)
  local id, own = journal.database:last_row(), {}
  for position, wait in ipairs(prepared) do
    own[wait.waiter] = own[wait.waiter] or table.pack(M.own_waiter(what, wait.waiter))
    wait.from = { state = Wait.new_record(wait.waiter, wait.limits), elapsed = 0, attempts = 0, history = {} }
    query(insert_wait, id, position, M.shown_input(wait), wait.token, wait.from.state, now.wall, now.boot, now.uptime,
      what.names and what.names[position], own[wait.waiter][1], own[wait.waiter][2], questions.limits(wait.limits))
    wait.row = journal.database:last_row()
  end
  return id
end

---@class bide.RunDescription
---@field recipe string the path of the recipe, or of several
---@field waiter string one or several
---@field names? string[] of the waits, as branches
---@field sources { name: string, fingerprint: string }[] the sources of the waits
---@field process integer
---@field needed integer how many waits must succeed
---@field goal string how many of how many waits must succeed
---@field command string[]? COMMAND
---@field beside string? what has to last beside the waits
---@field question bide.Question

---Writes waits that are about to begin. The record survives a loss of power, since a token that was sent must not be
---forgotten.
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

---The most entries of a history, as in a wait.
local FIRST, LAST = 50, 50

---Returns the last attempt between the first and the last ones whose entry is dropped after `attempt`.
local function forgotten(attempt)
  return attempt - LAST
end

local update_wait = [[
UPDATE wait SET state = ?, elapsed = ?, delay = ?, wall = ?, boot = ?, uptime = ?, attempts = ?, output = ?, error = ?
WHERE id = ?]]

---The progress of a wait that is not written yet: its last state, and the new entries of its history.
---@class bide.journal.Progress : bide.journal.Record
---@field entries { [1]: integer, [2]: string }[] the number of the attempt, and JSON
local Progress = {}
Progress.__index = Progress

function Progress:write(query)
  query(update_wait, self.state, self.elapsed, self.delay, self.now.wall, self.now.boot, self.now.uptime, self.attempts,
    self.output, self.error, self.row)
  for _, entry in ipairs(self.entries) do
    query("INSERT OR REPLACE INTO attempt VALUES (?, ?, ?)", self.row, entry[1], entry[2])
  end
  if self.attempts <= FIRST + LAST then return end
  query("DELETE FROM attempt WHERE wait = ? AND attempt > ? AND attempt <= ?", self.row, FIRST, forgotten(self.attempts))
end

function Progress:written()
  self.run.unwritten[self.row] = nil
end

---Drops old entries, so that no more than a history has are kept while the journal cannot be written.
function Progress:keep(attempt, text)
  local entries = self.entries
  entries[#entries + 1] = { attempt, text }
  if #entries > FIRST + LAST then table.remove(entries, FIRST + 1) end
end

function Run.started() end

---Records an attempt that is followed by another one. An attempt that ends the wait is written with its outcome, and one
---that was cut is repeated.
function Run:attempted(wait, entry)
  if not entry.delay then return end
  local row, mask = self.rows[wait.input], secret.of_entry(wait, entry)
  local progress = self.unwritten[row] or setmetatable({ run = self, row = row, entries = {} }, Progress)
  self.unwritten[row] = progress
  progress.now, progress.elapsed = moment.now(), core.loop.now() - wait.state:started()
  progress.state, progress.attempts = wait.state:save(), wait:made()
  progress.delay = wait.poll_delay or duration.of_seconds(entry.delay)
  progress.output, progress.error = shown_output(wait.output, mask), shown(wait.error, mask)
  progress:keep(wait:made(), shown(entry, mask))
  self.journal:post(progress)
end

---Records an outcome. The rank of a wait is its place among those that have ended.
local function post_outcome(run, row, record)
  run.ended_count = run.ended_count + 1
  local text, rank = stored_outcome.encode(record), run.ended_count
  run.journal:post { write = function(_, query)
    query("UPDATE wait SET outcome = ?, attempts = ?, rank = ? WHERE id = ?", text, record.attempts, rank, row)
  end }
end

---Records the end of a wait. A cancelled wait has not ended: it can be resumed, unless its run has ended. A wait that was
---recorded has no row.
function Run:ended(wait, record)
  local row = self.rows[wait.input]
  if not row or record.reason == "cancelled" or record.fault then return end
  self.rows[wait.input] = nil
  post_outcome(self, row, record)
end

---Records that the run has ended and its outcome has to be reported. Waits that were cancelled since then have ended too.
---@param state "success"|"failure"
---@param records table[] the outcomes of all its waits
function Run:finish(state, records)
  for _, record in ipairs(records) do
    local row = self.rows[record.input]
    if row then post_outcome(self, row, record) end
  end
  local ended = core.loop.wall()
  self.journal:post { write = function(_, query)
    query("UPDATE run SET ended = ?, outcome = ? WHERE id = ? AND ended IS NULL", ended, state, self.id)
  end }
end

---Records that the run was interrupted, and can be resumed.
function Run:interrupt()
  self.journal:post { write = function(_, query) query("UPDATE run SET owner = NULL WHERE id = ?", self.id) end }
end

---Records that the outcome was reported: the run is never found again.
---@return any? done
---@return string? mistake
function Run:mark_reported()
  return self.journal:transact(function(query)
    query("UPDATE run SET reported = ?, owner = NULL WHERE id = ?", core.loop.wall(), self.id)
  end)
end

return M
