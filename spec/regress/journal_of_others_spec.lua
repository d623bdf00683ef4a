---A journal is its owner's alone, and what it holds is input: nobody's files are taken, nothing broken is believed,
---and nothing that was lost is begun a second time.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local core = require "bide.core"
local journal = require "spec.support.journal"
local runs = require "bide.record.journal.runs"
local sources = require "bide.record.journal.sources"
local sqlite = require "bide.sqlite"
local uv = require "luv"

require "bide"

local recipe = [[
local http = require "bide.http"
return { Create = { idempotencyToken = "ClientToken",
  call = function(input) return http.post("%s", { json = input }) end,
  waitable = { Created = { minDelay = 0.01, maxDelay = 0.02, acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "created" } } },
  } } } } }
]]

local is_root = uv.getuid() == 0

describe("a journal", function()
  local workspace = Workspace.of_each()
  local server, tokens, on_request, file
  before_each(function()
    tokens, on_request = {}, function() end
    server = Server.start(function(request)
      tokens[#tokens + 1] = core.json.decode(request.body).ClientToken
      return on_request(#tokens) or { body = '{"state": "created"}' }
    end)
    workspace:write("things.lua", recipe:format(server.url))
    file = workspace.path .. "/waits.db"
  end)
  after_each(function() server:close() end)

  local function words(...)
    return { "run", "things.lua", "name=foo", "--max-wait", "1h", "--quiet", "--journal", "waits.db", ... }
  end

  ---Kills a wait while its n-th request is in flight.
  local function kill_in(count, list)
    local process
    on_request = function(number)
      if number < count then return { body = '{"state": "pending"}' } end
      process:kill "sigkill"
      return { silent = true }
    end
    process = workspace:start(list or words())
    process:wait()
    on_request = function() end
  end

  local function refused(message, list)
    local asked = #tokens
    local done = workspace:bide(list or words "--resume")
    assert.same({ 2, "", asked }, { done.code, done.stdout, #tokens }, done.stderr)
    assert.matches("bide: the journal waits.db: " .. message, done.stderr, 1, true)
    assert.not_matches("traceback", done.stderr, 1, true)
  end

  local function set_mode(name, mode) assert(uv.fs_chmod(workspace.path .. "/" .. name, tonumber(mode, 8))) end

  it("of another user is refused, for root too, and so are its log and its locks", function()
    if not is_root then return pending "only root can make files of others" end
    for _, name in ipairs { "waits.db", "waits.db-wal", "waits.db-shm", "waits.db-lock" } do
      workspace:write(name, "")
      set_mode(name, "600")
      assert(uv.fs_chown(workspace.path .. "/" .. name, 65534, 65534))
      refused("", words())
      refused("", { "journal", "list", "--journal", "waits.db" })
      for _, ending in ipairs { "", "-wal", "-shm", "-lock" } do os.remove(file .. ending) end
    end
    workspace:write("waits.db", "")
    assert(uv.fs_chown(file, 65534, 65534))
    refused("it belongs to user 65534, and bide runs as user 0", words())
  end)

  it("has locks and a log that are no links, and nobody else's to write", function()
    workspace:write("victim", "")
    for _, ending in ipairs { "-lock", "-wal", "-shm" } do
      assert(uv.fs_symlink(workspace.path .. "/victim", file .. ending))
      refused("its file " .. ending .. ": it is", words())
      assert.equal("", workspace:read "victim")
      os.remove(file .. ending)
    end
    assert(uv.fs_symlink(workspace.path .. "/made", file .. "-lock"))
    refused("its file -lock: it is a link", words())
    assert.is_nil(uv.fs_stat(workspace.path .. "/made"))
    os.remove(file .. "-lock")
    workspace:write("waits.db-lock", "")
    set_mode("waits.db-lock", "666")
    refused("its file -lock: others may read or write it", words())
  end)

  it("lies in no folder whose files anybody may replace, unless that is sticky", function()
    assert(uv.fs_chmod(workspace.path, tonumber("777", 8)))
    refused("every user may replace the files in its folder (its mode is 777)", words())
    assert(uv.fs_chmod(workspace.path, tonumber("1777", 8)))
    assert.equal(0, workspace:bide(words()).code)
  end)

  it("is one under all its names", function()
    workspace:write("real.db", "")
    set_mode("real.db", "600")
    assert(uv.fs_symlink(workspace.path .. "/real.db", file))
    assert.equal(0, workspace:bide(words()).code)
    assert.is_nil(uv.fs_lstat(file .. "-lock"))
    assert.is_table(uv.fs_lstat(workspace.path .. "/real.db-lock"))
  end)

  local updates = {
    { "wait.attempts", "UPDATE wait SET attempts = 'x'" }, { "wait.attempts", "UPDATE wait SET attempts = -1" },
    { "wait.attempts", "UPDATE wait SET attempts = 1.5" }, { "wait.outcome", "UPDATE wait SET outcome = '1'" },
    { "wait.outcome", "UPDATE wait SET outcome = '{}'" }, { "wait.outcome", "UPDATE wait SET outcome = '[]'" },
    { "wait.outcome", [[UPDATE wait SET outcome = '{"waiter":"W","state":"success","reason":"acceptor","message":1}']] },
    { "wait.input", "UPDATE wait SET input = x'ff00'" },
    { "wait.elapsed", "UPDATE wait SET elapsed = 'x'" }, { "wait.elapsed", "UPDATE wait SET elapsed = 9223372036854775807" },
    { "wait.delay", "UPDATE wait SET delay = 'soon'" }, { "wait.delay", "UPDATE wait SET delay = -5" },
    { "wait.wall", "UPDATE wait SET wall = 'now'" }, { "wait.wall", "UPDATE wait SET wall = 9223372036854775807" },
    { "wait.uptime", "UPDATE wait SET uptime = 'x'" },
    { "wait.output", "UPDATE wait SET output = 'x'" }, { "wait.error", "UPDATE wait SET error = '[1]'" },
    { "wait.error", [[UPDATE wait SET error = '{"type": 1}']] }, { "wait.rank", "UPDATE wait SET rank = 'first'" },
    { "run 1", "UPDATE wait SET position = 2" }, { "run 1", "DELETE FROM wait" },
    { "attempt.entry", "UPDATE attempt SET entry = '1'" }, { "attempt.entry", "UPDATE attempt SET entry = '{}'" },
    { "attempt.entry", [[UPDATE attempt SET entry = '{"attempt":"1","at":0,"duration":0}']] },
    { "attempt.entry", [[UPDATE attempt SET entry = '{"attempt":1,"at":0,"duration":0,"error":"x"}']] },
    { "run.began", "UPDATE run SET began = 'x'" }, { "run.began", "UPDATE run SET began = 9223372036854775807" },
    { "run.ended", "UPDATE run SET ended = 'x'" }, { "run.owner", "UPDATE run SET owner = -1" },
    { "run.owner", "UPDATE run SET owner = 'me'" }, { "run.process", "UPDATE run SET process = 'x'" },
    { "run.sources", "UPDATE run SET sources = '1'" }, { "run.sources", "UPDATE run SET sources = '[1]'" },
    { "run.outcome", "UPDATE run SET outcome = 'maybe'" },
    { "durable.count", "DELETE FROM durable" }, { "durable.count", "UPDATE durable SET count = 'x'" },
  }

  it("refuses rows that are not as bide writes them, each by its column", function()
    kill_in(2)
    local rows = {}
    for _, name in ipairs { "run", "wait", "attempt", "durable" } do
      rows[name] = journal.query(file, "SELECT * FROM " .. name)[1]
    end
    assert.is_table(rows.attempt)
    rows.durable.count = 1000 -- more than is noted
    local function restore()
      for name in pairs(rows) do journal.query(file, "DELETE FROM " .. name) end
      for _, name in ipairs { "run", "wait", "attempt", "durable" } do
        local names, marks, values = {}, {}, {}
        for column, value in pairs(rows[name]) do
          names[#names + 1], marks[#marks + 1], values[#values + 1] = column, "?", value
        end
        journal.query(file, ("INSERT INTO %s (%s) VALUES (%s)"):format(name, table.concat(names, ","), table.concat(marks, ",")),
          table.unpack(values))
      end
    end
    for _, update in ipairs(updates) do
      journal.query(file, update[2])
      refused("it is broken: " .. update[1])
      if update[1]:find "^wait%.[^o]" or update[1]:find "^run%." then
        refused("it is broken: " .. update[1], { "journal", "list", "--journal", "waits.db" })
      end
      local shown = workspace:bide { "journal", "show", "1", "--journal", "waits.db" }
      assert.not_matches("traceback", shown.stderr, 1, true)
      restore()
    end
    assert.equal(0, workspace:bide(words "--resume").code)
    assert.equal(tokens[1], tokens[#tokens])
  end)

  it("does not take one run for another, or for none, where what it was begun with was changed", function()
    local changes = { "recipe = 'x'", "inputs = 'x'", "waiter = 'Other'", "sources = '[]'", "began = 5",
      "question = json_set(question, '$.parts.input', 'x')" }
    for number, change in ipairs(changes) do
      kill_in(#tokens + 1)
      journal.query(file, "UPDATE run SET " .. change)
      refused("it is damaged: run " .. number .. " is not what was begun")
      assert.equal(0, workspace:bide({ "journal", "prune", tostring(number), "--journal", "waits.db" }).code)
    end
    kill_in(#tokens + 1)
    journal.query(file, "UPDATE wait SET token = 'another'")
    refused "it is damaged: run "
  end)

  it("whose log is damaged where it was synced is refused, or goes on with the token, and begins nothing anew", function()
    kill_in(2)
    local whole, refusals = {}, 0
    for _, ending in ipairs { "", "-wal", "-lock" } do whole[ending] = workspace:read("waits.db" .. ending) end
    local log, token = whole["-wal"], tokens[1]
    local damages = { log:sub(1, 0), log:sub(1, 20), log:sub(1, 5000), log:sub(1, #log // 2), ("\0"):rep(#log) }
    for at = 10, #log, #log // 12 do
      damages[#damages + 1] = log:sub(1, at - 1) .. string.char(log:byte(at) ~ 0x10) .. log:sub(at + 1)
    end
    for number, damaged in ipairs(damages) do
      workspace:write("waits.db", whole[""])
      workspace:write("waits.db-wal", damaged)
      workspace:write("waits.db-lock", whole["-lock"])
      os.remove(file .. "-shm")
      local asked = #tokens
      local done = workspace:bide(words "--resume")
      if done.code == 2 then refusals = refusals + 1 end
      assert.is_true(done.code == 2 and #tokens == asked or done.code == 0 and tokens[#tokens] == token,
        ("damage %d: %d %s"):format(number, done.code, done.stderr))
    end
    assert.is_true(refusals > 5, refusals)
  end)

  ---What release 0.1.0 made, and a run of it that was killed, and one that had ended.
  local of_0_1_0 = [[
    CREATE TABLE run (id INTEGER PRIMARY KEY AUTOINCREMENT, recipe TEXT NOT NULL, waiter TEXT NOT NULL, inputs TEXT NOT NULL,
      sources TEXT NOT NULL, began INTEGER NOT NULL, ended INTEGER, owner INTEGER, process INTEGER);
    CREATE TABLE wait (id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run(id) ON DELETE CASCADE,
      position INTEGER NOT NULL, input TEXT NOT NULL, token TEXT, state TEXT NOT NULL, elapsed INTEGER NOT NULL, delay INTEGER,
      wall INTEGER NOT NULL, boot TEXT, uptime INTEGER NOT NULL, attempts INTEGER NOT NULL DEFAULT 0, output TEXT, error TEXT,
      outcome TEXT -- JSON
    );
    CREATE INDEX wait_of_run ON wait(run, position);
    CREATE TABLE attempt (wait INTEGER NOT NULL REFERENCES wait(id) ON DELETE CASCADE, attempt INTEGER NOT NULL,
      entry TEXT NOT NULL, PRIMARY KEY (wait, attempt)) WITHOUT ROWID;
    CREATE TABLE request (identity TEXT NOT NULL, token TEXT NOT NULL, parameters TEXT NOT NULL, began INTEGER NOT NULL,
      result TEXT, ended INTEGER, retain INTEGER, owner INTEGER, process INTEGER, PRIMARY KEY (identity, token)) WITHOUT ROWID;
    PRAGMA application_id = 0x62696465;
    PRAGMA user_version = 1;
    ATTACH 'NEW' AS new;
    INSERT INTO run SELECT id, recipe, waiter, inputs, sources, began, ended, owner, process FROM new.run;
    INSERT INTO run SELECT id + 1, recipe, waiter, inputs, sources, began, began + 5, NULL, process FROM new.run;
    INSERT INTO wait SELECT id, run, position, input, token, state, elapsed, delay, wall, boot, uptime, attempts, output, error,
      outcome FROM new.wait;
    INSERT INTO attempt SELECT wait, attempt, entry FROM new.attempt]]

  ---Gives a run what releases before 0.3.0 recorded in place of its question.
  local function as_of_old()
    local run = journal.query(file, "SELECT * FROM run")[1]
    run.inputs, run.question = sources.fingerprint '{"name":"foo"}', nil
    journal.query(file, "UPDATE run SET inputs = ?, seal = ?", run.inputs, runs.seal(run, { tokens[1] }))
  end

  it("of the last release is upgraded, and continued", function()
    kill_in(2)
    as_of_old()
    local database = assert(sqlite.open(file))
    assert(database:script [[
      ALTER TABLE run DROP COLUMN question; ALTER TABLE wait DROP COLUMN limits;
      ALTER TABLE wait DROP COLUMN branch; ALTER TABLE wait DROP COLUMN recipe; ALTER TABLE wait DROP COLUMN waiter;
      PRAGMA user_version = 2]])
    database:close()
    assert.matches("Created", workspace:bide({ "journal", "list", "--journal", "waits.db" }).stdout)
    assert.equal(4, journal.query(file, "PRAGMA user_version")[1].user_version)
    assert.equal(0, workspace:bide(words "--resume").code)
    assert.equal(tokens[1], tokens[#tokens])
  end)

  it("of the release before is read, and what had ended there is not found again", function()
    kill_in(2)
    as_of_old()
    for _, ending in ipairs { "", "-wal" } do os.rename(file .. ending, workspace.path .. "/new.db" .. ending) end
    workspace:write("waits.db", "")
    set_mode("waits.db", "600")
    os.remove(file .. "-lock")
    os.remove(file .. "-shm")
    local database = assert(sqlite.open(file))
    assert(database:script((of_0_1_0:gsub("NEW", workspace.path .. "/new.db"))))
    database:close()
    assert.equal(0, workspace:bide(words "--resume").code)
    assert.equal(tokens[1], tokens[#tokens])
    local rows = journal.query(file, "SELECT reported FROM run ORDER BY id")
    assert.is_true(rows[1].reported ~= nil and rows[2].reported ~= nil)
    assert.equal(4, journal.query(file, "PRAGMA user_version")[1].user_version)
  end)

  it("whose locks are damaged is refused, and the copy of it without them is not", function()
    assert.equal(0, workspace:bide(words()).code)
    workspace:write("waits.db-lock", "garbage")
    refused("its file -lock is damaged", words())
    os.remove(file .. "-lock")
    assert.equal(0, workspace:bide(words()).code)
    os.remove(file) -- another journal begins, whatever was left beside it
    assert.equal(0, workspace:bide(words()).code)
    assert.equal(1, #journal.query(file, "SELECT * FROM run"))
  end)

  it("says that it has no such wait, where a new one begins", function()
    local done = workspace:bide(words "--resume")
    assert.same({ 0, "bide: the journal has no such wait; a new one begins\n" }, { done.code, done.stderr })
  end)

  it("notices that a module changed, of a sandboxed recipe too", function()
    workspace:write("m.lua", "return 1")
    workspace:write("things.lua", "local m = require 'm'\n" .. recipe:format(server.url))
    for _, mode in ipairs { { "--sandbox" }, {} } do
      kill_in(#tokens + 1, words(table.unpack(mode)))
      workspace:write("m.lua", "return 2")
      refused("", words("--resume", table.unpack(mode)))
      local done = workspace:bide(words("--resume", table.unpack(mode)))
      assert.matches("/m.lua has changed since run %d began", done.stderr)
      workspace:write("m.lua", "return 1")
      assert.equal(0, workspace:bide(words("--resume", table.unpack(mode))).code)
    end
  end)
end)
