---The sessions of a store in PostgreSQL, and what their failures mean for the verbs.

local answer = require "bide.record.store.answer"
local failures = require "bide.probe.postgres.failure"
local option = require "bide.text.option"
local own = require "bide.probe.postgres.own_sessions"
local sessions = require "bide.postgres.session"
local shown = require "bide.text.shown"
local states = require "bide.record.store.state"
local tables = require "bide.text.tables"
local urls = require "bide.record.store.url"
local verbs = require "bide.record.store.verbs"

local M = {}

---The version of the schema that this bide knows. It works with the next one, too, if that says so. A program that is built to
---be one form of states ahead is one version ahead as well.
M.VERSION = 1 + states.NEWEST - states.FORMAT

---@class bide.record.Server
---@field shown string the URL without a password
---@field cell integer? the number that the URL has
---@field hosts bide.postgres.session.Host[]
---@field sessions table<string, bide.postgres.session.Session>
---@field place bide.postgres.session.Place
---@field long_place bide.postgres.session.Place
---@field on_loss fun() called when a session was lost
---@field is_alone boolean whether sessions are not shared, as they are behind a pooler
---@field is_closed boolean?
---@field name string? of the worker, by which an administrator finds its sessions
local Server = {}
Server.__index = Server

---In seconds: for an answer to a verb, and to a submission of millions of waits.
local ANSWER, LONG = 30, 4 * 3600

-- ---- failures ----------------------------------------------------------------------------------

---The SQLSTATEs of transient failures, or their classes.
local transient = option.set "08 40 53 57 55P03 25006"

---Returns the line by which an administrator gives a role its rights on a queue.
---@param role string
---@param queue string
---@return string
function M.grant(role, queue)
  return ("run, as an administrator: bide store grant %s --queue %s --submit --work --store URL"):format(shown.word(role),
    shown.word(queue))
end

---Returns the line that gives the right which a message of the store says is missing.
---@param message string
---@param role string? as whom the session was opened
local function grant_of(message, role)
  local named, queue = message:match "^the role (.+) may not %a+ %a+ the queue ([^,]+)"
  return M.grant(named or role or "ROLE", queue or "QUEUE")
end

---Advice where the schema is missing, or a right.
local advice = {
  ["3F000"] = "run: bide store init --store URL", ["42P01"] = "run: bide store init --store URL",
  ["42883"] = "run: bide store migrate --store URL", ["42501"] = grant_of,
  ["3D000"] = "make the database first",
  ["28000"] = "the URL names the role, postgres://ROLE@HOST/DATABASE, which has to exist, and pg_hba.conf must let it in",
  BD002 = grant_of,
}

---Advice by the types of failures without a SQLSTATE.
local advice_by_type = {
  ["28P01"] = "the password is wrong or missing",
  TlsFailure = "a server elsewhere needs TLS with a certificate for its name: ?sslrootcert=FILE after the database names its "
    .. "authority, and ?sslmode=disable is for a network that you trust",
}

---Returns what a failure of a session means.
---@param failure bide.postgres.session.Failure
---@param role? string as whom the session was opened, for advice
---@return bide.record.Failure
function M.failure(failure, role)
  local state = failure.sqlstate or ""
  if state == "BD001" then return verbs.failure("expired", "the store does not know this worker any more") end
  if state == "BD007" then return verbs.failure("away", "%s", failure.message) end -- it was taken away meanwhile
  if failure.kind == "away" or transient[state:sub(1, 2)] or transient[state] then
    local note = failure.uncertain and " (it may have been carried out)" or ""
    local away = verbs.failure("away", "the store cannot be reached: %s%s", failure.message, note)
    away.is_uncertain = failure.uncertain
    return away
  end
  local hint = advice[state] or advice_by_type[failure.type]
  if hint == grant_of then hint = grant_of(failure.message, role) end
  local text = hint and ("%s (%s)"):format(failure.message, hint) or failure.message
  local is_asked = state:find "^BD" or state:find "^28" or advice[state] or state:find "^22" or state == ""
  local found = verbs.failure(failure.kind == "broken" and "broken" or is_asked and "refused" or "broken", "%s", text)
  found.is_right = state == "BD002" or nil
  return found
end

-- ---- sessions ------------------------------------------------------------------------------------

---Returns why a schema is not for this bide; nil if it is.
---@param about { version: integer, reads_from: integer } a row of bide.about()
---@return string?
function M.mistake_in_version(about)
  if about.reads_from <= M.VERSION then return nil end
  return ("the schema of the store is for a newer bide: it has version %d, which releases from version %d on can use, and "
    .. "this bide knows %d: upgrade bide"):format(about.version, about.reads_from, M.VERSION)
end

---Returns why a database is not the cell that its URL says; nil if it is.
---@param found integer that of the database
---@param wanted integer? that of the URL, if it has one
---@return string?
function M.mistake_in_cell(found, wanted)
  if not wanted or found == wanted then return nil end
  return ("the database is cell %d, and its URL says cell=%d: correct the URL; or leave the number out, and run bide store set "
    .. "cell %d --store URL, if it has no runs"):format(found, wanted, wanted)
end

---Asks for the version, and lets the names in all later statements be the system's: others may make a function or an operator
---that fits better, in a schema that the role searches. A session that is shared keeps what it searches.
local FIRST = [[SELECT version, reads_from, cell, pg_catalog.set_config('search_path', CASE WHEN $1 THEN 'pg_catalog, pg_temp'
ELSE pg_catalog.current_setting('search_path') END, false) FROM bide.about()]]

local whole = option.kinds.integer

---Refuses a schema that is not for this bide, and a database that is another one than the URL says.
---@param server bide.record.Server
---@return bide.postgres.session.Failure? failure
local function check(server, session)
  local about, failure = answer.row({ version = whole, reads_from = whole, cell = whole },
    session:query(FIRST, server.is_alone))
  if not about then return failure end
  local mistake = M.mistake_in_version(about) or M.mistake_in_cell(about.cell, server.cell)
  return mistake and { kind = "refused", type = "Version", message = mistake }
end

---@param server bide.record.Server
---@param place bide.postgres.session.Place
---@return bide.postgres.session.Session?
---@return bide.record.Failure?
local function open(server, place)
  local session, failure = sessions.open(place)
  if not session then return nil, M.failure(failure) end
  failure = check(server, session)
  if not failure then return session end
  session:close()
  return nil, M.failure(failure, sessions.hosts(place)[1].user)
end

---Names a session, unless the user has named it; a failure shows in the next statement.
---@param session bide.postgres.session.Session
---@param name string
local function name_session(session, name)
  session:query([[SELECT set_config('application_name', $1, false)
WHERE current_setting('application_name') ~ '^bide(-worker/[0-9]+)?$']], name)
end

---Names the sessions of a worker, those that are open and those to come.
---@param name string
function Server:name_sessions(name)
  self.name = name
  for _, session in pairs(self.sessions) do
    if session:is_open() then name_session(session, name) end
  end
end

---Returns a session, which is opened if there is none.
---@param name "main"|"beside"
---@return bide.postgres.session.Session?
---@return bide.record.Failure?
function Server:session(name)
  if self.is_closed then return nil, verbs.closed() end
  local session = self.sessions[name]
  if session and session:is_open() then return session end
  if session then
    self.sessions[name] = nil
    self.on_loss()
  end
  local opened, failure = open(self, self.place)
  if not opened then return nil, failure end
  if self.name then name_session(opened, self.name) end
  if self.is_closed then
    opened:close()
    return nil, verbs.closed()
  end
  if self.sessions[name] and self.sessions[name]:is_open() then -- another task was faster
    opened:close()
  else
    self.sessions[name] = opened
  end
  return self.sessions[name]
end

---Sends statements together, and waits for all answers.
---@param name "main"|"beside"
---@param list any[][] a statement and its parameters each
---@return table[][]? answers
---@return bide.record.Failure? failure the first one
function Server:query_all(name, list)
  local session, failure = self:session(name)
  if not session then return nil, failure end
  local pending, answers, first = {}, {}, nil
  for position, statement in ipairs(list) do
    pending[position] = session:send(table.unpack(statement, 1, statement.n or #statement))
  end
  for position, one in ipairs(pending) do
    answers[position], failure = one:await()
    first = first or failure
  end
  if not first then return answers end
  return nil, M.failure(first, self.hosts[1].user)
end

---Sends one statement.
---@param name "main"|"beside"
---@param sql string
---@param ... any
---@return table[]? rows
---@return bide.record.Failure? failure
function Server:query(name, sql, ...)
  local statement = table.pack(sql, ...)
  local answers, failure = self:query_all(name, { statement })
  if not answers then return nil, failure end
  return answers[1]
end

---The failure of a statement that only reads: if its answer was lost, nothing was carried out.
---@param server bide.record.Server
---@return bide.record.Failure
local function failure_of_peek(server, failure)
  if server.is_closed then return verbs.closed() end
  return M.failure(failures.without_effect(failure), server.hosts[1].user)
end

---Sends one statement that only reads.
---@param sql string
---@param ... any
---@return table[]? rows
---@return bide.record.Failure? failure
function Server:peek(sql, ...)
  local session, failure = self:session "main"
  if not session then return nil, failure end
  local rows
  rows, failure = session:query(sql, ...)
  if rows then return rows end
  return nil, failure_of_peek(self, failure)
end

---Sends one statement that only reads, and calls a function with each of its rows as they come; if it fails, some may have come
---before.
---@param consumer fun(row: table) may not wait
---@param sql string
---@param ... any
---@return bide.record.Failure? failure
function Server:peek_each(consumer, sql, ...)
  local session, failure = self:session "main"
  if not session then return failure end
  local count
  count, failure = session:each(consumer, sql, ...)
  return not count and failure_of_peek(self, failure) or nil
end

---Opens a session of its own, whose answers may take hours; the caller closes it.
---@return bide.postgres.session.Session?
---@return bide.record.Failure?
function Server:open_for_long()
  return open(self, self.long_place)
end

function Server:close()
  self.is_closed = true
  for name, session in pairs(self.sessions) do
    session:close()
    self.sessions[name] = nil
  end
end

---Reads the URL of a store.
---@param url string
---@return string? others it without the number of a cell; nil if there is a mistake
---@return integer|string|nil cell nil if the URL has none; or the mistake
local function read(url)
  if urls.without_password(url) ~= url and not tables.has(urls.of_environment(), url) then
    return nil, "a password in the URL is seen by every user of this machine: put it into BIDE_STORE, PGPASSWORD or ~/.pgpass"
  end
  return urls.cut_cell(url)
end

---Opens a session for an administrator, whatever is in the database.
---@param url string
---@return bide.postgres.session.Session?
---@return string|integer|nil cell the number that the URL has; or the mistake
function M.connect(url)
  local others, cell = read(url)
  if not others then return nil, cell end
  local session, failure = sessions.open { url = others, timeout = LONG, prepare = false }
  if not session then return nil, M.failure(failure).message end
  return session, cell
end

---Reads where the store is; connects later.
---@param url string
---@param on_loss fun() called when a session was lost
---@return bide.record.Server?
---@return string? mistake
function M.new(url, on_loss)
  local others, cell = read(url)
  if not others then return nil, cell --[[@as string]] end
  local place, mistake = sessions.prepare { url = others, timeout = ANSWER }
  if not place then return nil, mistake end
  local long_place = sessions.prepare { url = others, timeout = LONG }
  own[place], own[long_place] = true, true
  return setmetatable({
    shown = urls.without_password(url), cell = cell, hosts = sessions.hosts(place), sessions = {}, place = place,
    long_place = long_place, on_loss = on_loss, is_alone = (others:match "[?&]prepare=([^&]*)" or "on") == "on",
  }, Server)
end

return M
