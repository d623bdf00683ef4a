---The tables of a journal.


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

return M
