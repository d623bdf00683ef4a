---What a journal holds, and how a file is known for one.

local M = {}

---In the header of every journal: "bide" in ASCII.
M.APPLICATION = 0x62696465

---@type integer a bide reads journals of its own version, and makes those of the last release to such
M.VERSION, M.LAST_VERSION = 2, 1

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
  rank      INTEGER           -- 1 for the first wait of its run that ended
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

---What a journal of the last release lacks. What had ended then had been reported, as far as is known.
M.upgrade = ([[
ALTER TABLE run ADD COLUMN outcome TEXT;
ALTER TABLE run ADD COLUMN reported INTEGER;
ALTER TABLE run ADD COLUMN seal TEXT;
UPDATE run SET reported = ended;
ALTER TABLE wait ADD COLUMN rank INTEGER;
ALTER TABLE request ADD COLUMN late INTEGER;
UPDATE request SET late = retain;
CREATE TABLE durable (count INTEGER NOT NULL);
INSERT INTO durable VALUES (0);
PRAGMA user_version = %d;
]]):format(M.VERSION)

return M
