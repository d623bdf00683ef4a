---The tables of a journal, and the checks of its rows.

local core = require "bide.core"
local option = require "bide.text.option"
local reasons = require "bide.wait.reasons"
local tables = require "bide.text.tables"

local M = {}

---The number in the header of every journal: "bide" in ASCII.
M.APPLICATION = 0x62696465

---The version of the journals that bide makes, and that of a file that has the tables of a store as well. Older ones are
---upgraded; a journal stays without these tables until it is opened as a store.
M.VERSION, M.WITH_STORE = 4, 5

M.create = ([[
CREATE TABLE run (
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  recipe    TEXT NOT NULL,    -- the path of the file
  waiter    TEXT NOT NULL,
  inputs    TEXT NOT NULL,    -- the fingerprint of the inputs of its waits, without tokens
  sources   TEXT NOT NULL,    -- JSON: what the waits were made of, and the fingerprint of each
  began     INTEGER NOT NULL, -- milliseconds since 1970
  ended     INTEGER,          -- NULL: to be resumed
  outcome   TEXT,             -- "success" or "failure", once it has ended
  reported  INTEGER,          -- when its outcome was; NULL: it is still to be reported
  seal      TEXT,             -- the fingerprint of what it was begun with
  question  TEXT,             -- JSON: a key, and digests of all that it asks; NULL: of an older release
  owner     INTEGER,          -- the lock of the process that runs it
  process   INTEGER
);
CREATE TABLE wait (
  id        INTEGER PRIMARY KEY,
  run       INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
  position  INTEGER NOT NULL, -- from 1
  input     TEXT NOT NULL,    -- JSON, secrets taken out
  token     TEXT,             -- its idempotency token
  state     TEXT NOT NULL,    -- the record of the core, after the last attempt that ended
  elapsed   INTEGER NOT NULL, -- milliseconds of the wait until the moment
  delay     INTEGER,          -- milliseconds from the moment to the next attempt; NULL before the first
  wall      INTEGER NOT NULL, -- the moment: the clock, the start of the machine, how long it has been up
  boot      TEXT,
  uptime    INTEGER NOT NULL,
  attempts  INTEGER NOT NULL DEFAULT 0,
  output    TEXT,             -- JSON, secrets taken out, the last one seen
  error     TEXT,             -- JSON, where it came after the last output
  outcome   TEXT,             -- JSON, secrets taken out, once it has ended
  rank      INTEGER,          -- 1 for the first wait of its run that ended
  branch    TEXT,             -- its name, if the waits of the run have names
  recipe    TEXT,             -- the path of its own recipe; NULL: that of the run
  waiter    TEXT,             -- its own waiter; NULL: that of the run
  limits    TEXT              -- JSON: the limits that it began with; NULL: of an older release
);
CREATE INDEX wait_of_run ON wait(run, position);
CREATE TABLE attempt (
  wait      INTEGER NOT NULL REFERENCES wait(id) ON DELETE CASCADE,
  attempt   INTEGER NOT NULL,
  entry     TEXT NOT NULL,    -- JSON
  PRIMARY KEY (wait, attempt)
) WITHOUT ROWID;
CREATE TABLE request (
  identity   TEXT NOT NULL,
  token      TEXT NOT NULL,
  parameters TEXT NOT NULL,   -- JSON
  began      INTEGER NOT NULL,
  result     TEXT,            -- JSON; NULL: in progress
  ended      INTEGER,
  retain     INTEGER,         -- milliseconds after its end; NULL: without end
  late       INTEGER,         -- milliseconds after that for which it is known that there was one
  owner      INTEGER,         -- the lock of the process that makes it
  process    INTEGER,
  PRIMARY KEY (identity, token)
) WITHOUT ROWID;
CREATE TABLE durable (count INTEGER NOT NULL); -- transactions that waited for the disk
INSERT INTO durable VALUES (0);
PRAGMA application_id = %d;
PRAGMA user_version = %d;
]]):format(M.APPLICATION, M.VERSION)

---The tables of a store (record/store/sqlite.lua), whose waits any worker makes. Times are microseconds since 1970.
local of_store = [[
CREATE TABLE queue (
  id         INTEGER PRIMARY KEY,
  name       TEXT NOT NULL UNIQUE
);
CREATE TABLE bundle (
  id         INTEGER PRIMARY KEY,
  digest     TEXT NOT NULL UNIQUE, -- SHA-256 of the manifest, hexadecimal
  manifest   TEXT NOT NULL,
  made       INTEGER NOT NULL
);
CREATE TABLE definition (
  id         INTEGER PRIMARY KEY,
  bundle     INTEGER NOT NULL REFERENCES bundle(id),
  waiter     TEXT NOT NULL,
  body       TEXT NOT NULL,        -- JSON
  digest     TEXT NOT NULL UNIQUE
);
CREATE TABLE store_run (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  queue      INTEGER NOT NULL REFERENCES queue(id),
  lane       INTEGER NOT NULL,
  need       INTEGER NOT NULL,     -- how many waits must succeed
  keeps_going INTEGER NOT NULL,
  jobs       INTEGER,              -- how many waits are open at a time
  opened     INTEGER NOT NULL,     -- the position of the last wait that got a turn
  seed       INTEGER NOT NULL,
  about      TEXT NOT NULL,        -- JSON
  history    TEXT NOT NULL,        -- "some" or "none"
  submit_token TEXT UNIQUE,
  submit_digest TEXT NOT NULL,
  waits      INTEGER NOT NULL,
  open       INTEGER NOT NULL,
  succeeded  INTEGER NOT NULL DEFAULT 0,
  failed     INTEGER NOT NULL DEFAULT 0,
  cancelled  INTEGER NOT NULL DEFAULT 0,
  began      INTEGER NOT NULL,
  deadline   INTEGER NOT NULL,     -- of the wait that may last longest
  decided    INTEGER,
  ended      INTEGER,
  outcome    TEXT                  -- "success" or "failure", once it is decided
);
CREATE INDEX store_run_ended ON store_run(ended) WHERE ended IS NOT NULL;
CREATE TABLE store_wait (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  run        INTEGER NOT NULL REFERENCES store_run(id) ON DELETE CASCADE,
  position   INTEGER NOT NULL,     -- from 1
  label      TEXT,
  definition INTEGER NOT NULL REFERENCES definition(id),
  input      TEXT NOT NULL,        -- JSON
  token      TEXT,
  delay      INTEGER NOT NULL,     -- until the first attempt
  max_wait   INTEGER NOT NULL,
  attempts   INTEGER NOT NULL DEFAULT 0, -- once it has ended
  output     TEXT,                 -- JSON
  error      TEXT,                 -- JSON
  outcome    TEXT,                 -- JSON: the document, or a reason alone
  rank       INTEGER,
  ended      INTEGER
);
CREATE INDEX store_wait_of_run ON store_wait(run, position);
CREATE INDEX store_wait_of_definition ON store_wait(definition);
CREATE INDEX store_wait_ended ON store_wait(run, rank) WHERE rank IS NOT NULL;
CREATE TABLE turn (
  id         INTEGER PRIMARY KEY REFERENCES store_wait(id) ON DELETE CASCADE,
  due        INTEGER NOT NULL,
  deadline   INTEGER NOT NULL,
  worker     INTEGER,              -- that has claimed it
  queue      INTEGER NOT NULL,
  lane       INTEGER NOT NULL,
  bundle     INTEGER NOT NULL,
  definition INTEGER NOT NULL,
  attempts   INTEGER NOT NULL DEFAULT 0,
  strikes    INTEGER NOT NULL DEFAULT 0,
  format     INTEGER NOT NULL DEFAULT 0,
  state      TEXT NOT NULL DEFAULT ''
);
CREATE INDEX turn_due ON turn(queue, lane, due) WHERE worker IS NULL;
CREATE INDEX turn_worker ON turn(worker) WHERE worker IS NOT NULL;
CREATE INDEX turn_deadline ON turn(deadline);
CREATE TABLE store_attempt (
  wait       INTEGER NOT NULL REFERENCES store_wait(id) ON DELETE CASCADE,
  attempt    INTEGER NOT NULL,
  entry      TEXT NOT NULL,        -- JSON
  PRIMARY KEY (wait, attempt)
) WITHOUT ROWID;
CREATE TABLE worker (
  id         INTEGER PRIMARY KEY,  -- the lock that shows that it is running
  about      TEXT NOT NULL,        -- JSON
  formats    TEXT NOT NULL,        -- JSON: those of states that it reads
  began      INTEGER NOT NULL
);
CREATE TABLE refused (             -- bundles that a worker does not take
  worker     INTEGER NOT NULL REFERENCES worker(id) ON DELETE CASCADE,
  bundle     INTEGER NOT NULL,
  PRIMARY KEY (worker, bundle)
) WITHOUT ROWID;
CREATE TABLE pace (                  -- the next requests to a host
  queue        TEXT NOT NULL,
  host         TEXT NOT NULL,
  gap          INTEGER NOT NULL,     -- between two of them: the greatest that was named in the last minute
  burst        INTEGER NOT NULL,
  free         INTEGER NOT NULL,     -- the time of the next one
  closed_until INTEGER NOT NULL,
  used         INTEGER NOT NULL,     -- when the gap was named last
  PRIMARY KEY (queue, host)
) WITHOUT ROWID;
CREATE TABLE notice (                -- waits that were cancelled while a worker held them
  worker     INTEGER NOT NULL REFERENCES worker(id) ON DELETE CASCADE,
  wait       INTEGER NOT NULL,
  PRIMARY KEY (worker, wait)
) WITHOUT ROWID;
]]

---The statements that upgrade a journal of each older version to the next one, and the last of which adds a store.
M.upgrades = {
  -- As far as is known, everything that had ended was reported.
  [[
ALTER TABLE run ADD COLUMN outcome TEXT;
ALTER TABLE run ADD COLUMN reported INTEGER;
ALTER TABLE run ADD COLUMN seal TEXT;
UPDATE run SET reported = ended;
ALTER TABLE wait ADD COLUMN rank INTEGER;
ALTER TABLE request ADD COLUMN late INTEGER;
UPDATE request SET late = retain;
CREATE TABLE durable (count INTEGER NOT NULL);
INSERT INTO durable VALUES (0);
]],
  [[
ALTER TABLE wait ADD COLUMN branch TEXT;
ALTER TABLE wait ADD COLUMN recipe TEXT;
ALTER TABLE wait ADD COLUMN waiter TEXT;
]],
  [[
ALTER TABLE run ADD COLUMN question TEXT;
ALTER TABLE wait ADD COLUMN limits TEXT;
]],
  of_store,
}

-- ---- what is read ----------------------------------------------------------------------------

-- Checks the rows of a journal, column by column. They are treated as input: another version, or a person, may have
-- written them, and a disk may have damaged them.

local json = core.json


---The last time that has a date of four digits, and the longest span: both in milliseconds.
local LAST_TIME, LONGEST = 253402300799999, 1e15

local function whole(least, most)
  return function(value) return math.type(value) == "integer" and value >= least and value <= most end
end

local function is_text(value) return type(value) == "string" end

local function one_of(...)
  local known = tables.set { ... }
  return function(value) return known[value] == true end
end

local function decoded(text)
  if not is_text(text) then return nil end
  local value, mistake = json.decode(text)
  if not mistake then return value end
end

local function optional(check)
  return function(value) return value == nil or check(value) end
end

local function has(members)
  return function(value)
    if not tables.is_object(value) then return false end
    for name, check in pairs(members) do
      if not check(value[name]) then return false end
    end
    return true
  end
end

local function each(check)
  return function(value)
    if type(value) ~= "table" or tables.is_object(value) and next(value) ~= nil then return false end
    for _, member in ipairs(value) do
      if not check(member) then return false end
    end
    return true
  end
end

local function each_text(value)
  if not tables.is_object(value) then return false end
  for _, member in pairs(value) do
    if not is_text(member) then return false end
  end
  return true
end

local function is_span(value) return type(value) == "number" and value >= 0 and value <= LONGEST end

local is_count, is_position = whole(0, 2 ^ 53), whole(1, 2 ^ 53)

local function is_flag(value) return type(value) == "boolean" end

local is_failure = has { type = is_text }

local entry = has {
  attempt = is_position, at = is_span, duration = is_span, delay = optional(is_span),
  state = optional(one_of("retry", "success", "failure")), acceptor = optional(whole(1, 2 ^ 31 - 1)), name = optional(is_text),
  error = optional(is_failure), note = optional(is_text), woken = optional(is_flag),
}

local is_outcome = has {
  waiter = is_text, operation = optional(is_text), state = one_of("success", "failure"),
  reason = one_of(table.unpack(reasons.names)),
  acceptor = optional(is_position), name = optional(is_text), message = is_text, attempts = is_count, elapsed = is_span,
  maxWait = is_span, error = optional(is_failure), seen = optional(each(tables.is_object)), history = each(entry),
  omitted = optional(is_count), traceback = optional(is_text), warnings = optional(each(is_text)),
}

---Reports whether a value is an outcome that does not contradict itself: a success comes from an acceptor.
---@param value any
function M.is_outcome(value)
  if not is_outcome(value) or value.reason == "acceptor" and not value.acceptor then return false end
  return value.state == "failure" or value.reason == "acceptor" and value.attempts > 0
end

---Reports whether a value is an entry of a history.
---@type fun(value: any): boolean
M.is_entry = entry

---Reports whether a value is an outcome with the attempt that decided.
local function outcome(value)
  if not M.is_outcome(value) then return false end
  local last = value.history[#value.history]
  if value.reason ~= "acceptor" then return true end
  return last ~= nil and last.state == value.state and last.acceptor == value.acceptor and last.attempt == value.attempts
end

local function json_of(check)
  return function(text)
    local value = decoded(text)
    return value ~= nil and check(value)
  end
end

local function is_json(text)
  return is_text(text) and json.read(text) ~= nil
end

local id = { "a whole number above 0", is_position }
local count = { "a whole number, 0 or more", is_count }
local text = { "a text", is_text }
local token = { "a text that is not empty", function(value) return is_text(value) and value ~= "" end }
---The clock of a board without a battery may be before 1970.
local time = { "a time in milliseconds since 1970", whole(-LAST_TIME, LAST_TIME) }
local span = { "a number of milliseconds", whole(0, LONGEST | 0) }
local document = { "JSON", is_json }
local lock = { "the number of a lock", whole(0, math.maxinteger - 1) }

local function or_null(kind)
  return { kind[1] .. ", or NULL", optional(kind[2]) }
end

---The kind of each column that is read: its words, and the test of a value.
local columns = {
  run = {
    id = id, recipe = text, waiter = text, inputs = text, began = time, ended = or_null(time), reported = or_null(time),
    sources = { "JSON, a list of names and fingerprints", json_of(each(has { name = is_text, fingerprint = is_text })) },
    outcome = or_null { "success or failure", one_of("success", "failure") }, seal = or_null(text),
    question = or_null { "JSON, a key and digests", json_of(has { key = is_text, parts = each_text }) },
    owner = or_null(lock), process = or_null(count),
  },
  wait = {
    id = id, run = id, position = id, input = document, token = or_null(token), state = text, elapsed = span,
    delay = or_null(span), wall = time, boot = or_null(text), uptime = span, attempts = count, output = or_null(document),
    error = or_null { "JSON, an operation error", json_of(is_failure) },
    outcome = or_null { "JSON, an outcome", json_of(outcome) }, rank = or_null(id),
    branch = or_null(text), recipe = or_null(text), waiter = or_null(text),
    limits = or_null { "JSON, the limits of a wait", json_of(tables.is_object) },
  },
  attempt = { entry = { "JSON, an entry of a history", json_of(entry) } },
  request = {
    identity = text, token = text, parameters = text, began = time, result = or_null(text), ended = or_null(time),
    retain = or_null(span), late = or_null(span), owner = or_null(lock), process = or_null(count),
  },
}

local names_of = {}
for name, kinds in pairs(columns) do names_of[name] = option.sorted_names(kinds) end

local function describe(value)
  if value == nil then return "NULL" end
  if type(value) ~= "string" then return tostring(value) end
  return ("%q"):format(#value > 40 and value:sub(1, 40) .. "…" or value)
end

---Ends the transaction if a row is not as bide writes it.
---@param journal bide.Journal
---@param kind "run"|"wait"|"attempt"|"request"
---@param row table<string, any>
---@return table<string, any> row
function M.check(journal, kind, row)
  for _, name in ipairs(names_of[kind]) do
    local column = columns[kind][name]
    if not column[2](row[name]) then
      journal.refuse("it is broken: %s.%s: expected %s, found %s", kind, name, column[1], describe(row[name]))
    end
  end
  return row
end

---Checks the rows of a statement, and returns them.
---@param journal bide.Journal
---@param kind "run"|"wait"|"attempt"|"request"
---@param rows table[]
---@return table[] rows
function M.check_all(journal, kind, rows)
  for _, row in ipairs(rows) do M.check(journal, kind, row) end
  return rows
end

return M
