---bide store, on a PostgreSQL of its own.

local Cluster = require "spec.support.store_cluster"
local Workspace = require "spec.support.workspace"
local administration = require "bide.record.store.postgres.administration"
local pgbouncer = require "spec.support.pgbouncer"
local process = require "spec.support.process"

local cluster = Cluster.of_block("host all locked 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n",
  "autovacuum_naptime=15s", "fsync=on", "max_replication_slots=4", "max_prepared_transactions=4",
  "password_encryption=scram-sha-256")
if not cluster then return end

describe("bide store", function()
  local workspace = Workspace.of_block()
  local database, count = nil, 0

  setup(function()
    cluster:admin("CREATE ROLE ada LOGIN; CREATE ROLE wim LOGIN; CREATE ROLE locked LOGIN PASSWORD 'open sesame'; "
      .. "CREATE ROLE maker LOGIN CREATEROLE")
  end)
  before_each(function()
    count = count + 1
    database = "waits" .. count
    cluster:admin("CREATE DATABASE " .. database)
  end)

  local function url(role) return cluster:url(role or "postgres", database) end

  ---Runs the command as an administrator, or as another role.
  local function store(words, role, options)
    local all = { "store" }
    for word in words:gmatch "%S+" do all[#all + 1] = word end
    all[#all + 1] = "--store=" .. url(role)
    return workspace:bide(all, options)
  end

  local function sql(text, role) return cluster:sql_in(database, text, role) end

  ---Expects a mistake: exit code 2, one line, nothing on standard output.
  local function assert_mistake(text, done)
    assert.same({ 2, "" }, { done.code, done.stdout })
    assert.matches(text, done.stderr, 1, true)
    assert.equal(1, select(2, done.stderr:gsub("\n", "")))
  end

  it("makes the schema once, so that its roles can work", function()
    local done = store "init"
    assert.same({ 0, "" }, { done.code, done.stderr })
    assert.matches("the store is ready, in version 1", done.stdout, 1, true)
    assert.matches("is there already, in version 1", store("init").stdout, 1, true)
    assert.equal("version 1: nothing to do\n", store("migrate").stdout)
    assert.equal("bide_owner", sql [[SELECT DISTINCT r.rolname FROM pg_class c JOIN pg_roles r ON r.oid = c.relowner
      WHERE c.relnamespace = 'bide'::regnamespace]])
    assert.equal("ada may submit in the queue mail\n", store("grant ada --submit --queue mail --most-open 7").stdout)
    assert.equal("wim may work in the queue mail\n", store("grant wim --work --queue mail").stdout)
    assert.equal("7||t|f",
      sql "SELECT most_open, submits_a_minute, may_submit, may_work FROM bide.queue_grant WHERE role = 'ada'")
    assert.equal("mail", sql("SELECT name FROM bide.queues", "ada"))
    assert.equal("0", sql("SELECT bide.lag('mail')", "wim"))
    assert.equal("0|read committed", sql("SELECT current_setting('statement_timeout'), "
      .. "current_setting('default_transaction_isolation')", "ada"))
    assert.equal("10s", sql("SHOW statement_timeout", "wim"))
    assert.equal("ada has no rights on the queue mail\n", store("grant ada --queue mail").stdout)
    assert.equal("0", sql("SELECT count(*) FROM bide.queues", "ada"))
  end)

  it("does what its page says", function()
    sql "CREATE ROLE app LOGIN; CREATE ROLE worker LOGIN"
    local page <close>, ran = assert(io.open "docs/reference/postgres-store.md"), 0
    for line in page:lines() do
      local words = line:match "^    bide store (.*) %-%-store postgres://postgres@db/waits$"
      if words then
        store(words):ends(0)
        ran = ran + 1
      end
    end
    assert.equal(4, ran)
    assert.equal("2", sql "SELECT count(*) FROM bide.queue_grant")
  end)

  it("prints what makes the schema, for an administrator", function()
    local printed = workspace:bide { "store", "init", "--print" }
    assert.equal(0, printed.code)
    sql(printed.stdout)
    assert.equal("version 1: nothing to do\n", store("migrate").stdout)
    assert.matches("there already", store("init").stdout)
  end)

  it("does all or nothing, and says whom to ask", function()
    local done = store("init", "ada")
    assert_mistake("run it as an administrator of the database, for whom bide store init --print prints", done)
    assert.equal("f", sql "SELECT to_regnamespace('bide') IS NOT NULL")
    for _, words in ipairs { "migrate", "check" } do assert_mistake("run bide store init --store URL", store(words)) end
    store "init"
    for _, words in ipairs { "set lease 5s", "grant ada --work", "set" } do
      assert_mistake("run it as an administrator", store(words, "ada"))
    end
    assert_mistake('role "nobody" does not exist', store "grant nobody --work --queue new")
    assert.equal("0", sql "SELECT count(*) FROM bide.queue WHERE name = 'new'")
  end)

  it("refuses what it does not understand, before it connects", function()
    for words, text in pairs {
      ["grant"] = "grant needs a ROLE", ["init now"] = "unexpected word: now", ["grant a b --work"] = "unexpected word: b",
      ["init --queue q"] = "--queue belongs to bide store grant", ["grant a --print"] = "--print belongs to bide store init",
      ["check --most-open 3"] = "--most-open belongs to bide store grant",
      ["set lease"] = "set needs a NAME and a VALUE", ["set leese 3s"] = 'leese: unknown setting, did you mean "lease"?',
      ["set lease 1ms"] = 'lease: expected 1 s to 1 h, found "1ms"', ["set lease 2h"] = "expected 1 s to 1 h",
      ["set most_open 0"] = 'most_open: expected 1 to', ["set most_open 1.5"] = 'found "1.5"', ["drop"] = "drop",
      ["set lease 3s 4s"] = "unexpected word: 4s",
    } do
      local all = { "store" }
      for word in words:gmatch "%S+" do all[#all + 1] = word end
      all[#all + 1] = "--store=postgres://127.0.0.1:1/nowhere"
      assert_mistake(text, workspace:bide(all))
    end
    assert_mistake('--queue: expected a name', store "grant ada --work --queue a/b")
    assert_mistake("no store: give --store URL", workspace:bide({ "store", "check" }, { env = { BIDE_STORE = false } }))
    assert_mistake("expected postgres://HOST/DATABASE", workspace:bide { "store", "check", "--store", "waits.db" })
    assert_mistake("put it into BIDE_STORE", workspace:bide { "store", "check", "--store", "postgres://a:b@127.0.0.1/x" })
    assert_mistake("the store cannot be reached", workspace:bide { "store", "check", "--store", "postgres://127.0.0.1:1/x" })
    assert_mistake("grant needs a ROLE", workspace:bide { "store", "grant", "", "--work", "--store", url() })
  end)

  it("takes a password from the environment, and shows it nowhere", function()
    assert_mistake("password", store("check", "locked", { env = { PGPASSWORD = false } }))
    assert_mistake("run bide store init", store("check", "locked", { env = { PGPASSWORD = "open sesame" } }))
    local with = url("locked"):gsub("locked@", "locked:open%%20sesame@")
    local done = workspace:bide({ "store", "check" }, { env = { BIDE_STORE = with } })
    assert_mistake("run bide store init", done)
    assert.not_matches("sesame", done.stderr)
  end)

  it("sets what is set, within bounds", function()
    store "init"
    assert.matches("lease      10 s\n", store("set").stdout, 1, true)
    assert.matches("lease      5 s\n", store("set lease 5s").stdout, 1, true)
    assert.equal("5000000|50", sql([[SELECT (SELECT value FROM bide.setting WHERE name = 'lease'), 50]]))
    assert.matches("most_open  50\n", store("set most_open 50").stdout, 1, true)
  end)

  describe("check", function()
    before_each(function() store "init" end)

    local function finds(text, role, options)
      store("check", role, options):prints(1, text)
    end

    it("finds nothing in a store that is as it should be", function()
      local done = store "check"
      assert.same({ 0, "nothing found\n", "" }, { done.code, done.stdout, done.stderr })
    end)

    it("finds what makes a store slow or unsafe", function()
      sql [[
GRANT EXECUTE ON FUNCTION bide.clear TO PUBLIC; ALTER TABLE bide.run DISABLE ROW LEVEL SECURITY; ALTER ROLE bide_owner LOGIN;
SELECT pg_create_physical_replication_slot('unused');
CREATE FUNCTION drop_day(day bigint) RETURNS void LANGUAGE plpgsql AS
  $$ BEGIN EXECUTE format('DROP TABLE bide.%I', bide.partition_of(bide.clock() + day * 86400000000)); END $$;
SELECT drop_day(1);
INSERT INTO bide.turn (id, due, deadline, queue, bundle, definition, lane, format, state) VALUES (1, 1, 1, 1, 1, 1, 2, 0, '');
UPDATE bide.meta SET version = 2;]]
      finds "everybody may call the function clear: REVOKE EXECUTE ON FUNCTION bide.clear FROM PUBLIC"
      finds "the table run has no row security"
      finds "the role bide_owner may log in"
      finds "the replication slot unused is not used"
      finds "the partition for the attempts of today + 1 d is missing"
      finds "no worker serves the queue default, which has waits that are overdue"
      finds "the schema has version 2, this bide knows 1"
      cluster:admin("ALTER ROLE bide_owner NOLOGIN; SELECT pg_drop_replication_slot('unused')")
    end)

    it("finds an autovacuum that is off", function()
      cluster:admin("ALTER SYSTEM SET autovacuum = off")
      cluster:reload()
      finds "autovacuum is off: dead rows of turns are never removed"
      cluster:admin("ALTER SYSTEM RESET autovacuum")
      cluster:reload()
    end)

    it("finds what a loss of power would destroy", function()
      cluster:admin("ALTER SYSTEM SET full_page_writes = off")
      cluster:reload()
      finds "full_page_writes is off: a loss of power may destroy the database"
      cluster:admin("ALTER SYSTEM RESET full_page_writes")
      cluster:reload()
    end)

    it("finds a pooler that logs in as one role for all", function()
      local program, lacking = pgbouncer.find()
      if not program then return pending(lacking) end
      local pooler = pgbouncer.start(program, cluster.directory, cluster.server, { ada = "open sesame", postgres = "" }, 2,
        "postgres")
      local by_pooler = ("postgres://ada@127.0.0.1:%d/%s?prepare=off"):format(pooler.port, database)
      local done = workspace:bide({ "store", "check", "--store", by_pooler }, { env = { PGPASSWORD = "open sesame" } })
      pooler:stop()
      done:prints(1, "the connection is that of postgres in place of ada: a pooler must let each role log in as itself")
    end)

    it("finds a clock that is wrong", function()
      if process.is_static then return pending(process.NO_PRELOAD) end
      local library = workspace.path .. "/moved_clock.so"
      local compiled = process.run({ os.getenv "CC" or "cc", "-shared", "-fPIC", "-o", library, "spec/support/moved_clock.c" },
        { tool = true })
      assert.equal(0, compiled.code, compiled.stderr)
      workspace:write("moved", "-3600")
      local others = os.getenv "LD_PRELOAD"
      finds("the store's clock and that of this machine differ by 3600 s", nil, { env = {
        LD_PRELOAD = others and others .. " " .. library or library, MOVED_CLOCK = workspace.path .. "/moved",
      } })
    end)

    it("finds what has kept its snapshot for a minute", function()
      sql "CREATE TABLE t (); BEGIN; INSERT INTO t DEFAULT VALUES; PREPARE TRANSACTION 'left'"
      local holder = process.start(cluster:client("maker", database), { cwd = "/", tool = true,
        stdin = "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1; SELECT pg_sleep(60);" })
      local seen = "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(60)%' AND backend_xmin IS NOT NULL "
        .. "AND pid <> pg_backend_pid()"
      while sql(seen) ~= "1" do assert.is_nil(holder.code) end
      local writer = process.start(cluster:client("maker", database), { cwd = "/", tool = true,
        stdin = "BEGIN; SELECT pg_current_xact_id(); \\! sleep 60" }) -- without a snapshot: it waits for its client
      local waiting = "SELECT count(*) FROM pg_stat_activity WHERE state = 'idle in transaction' AND backend_xid IS NOT NULL"
      while sql(waiting) ~= "1" do assert.is_nil(writer.code, writer.stderr) end
      local found = {}
      for _, check in ipairs(administration.checks) do
        local younger, count_of = check.sql:gsub("interval '1 minute'", "interval '0 s'")
        if count_of > 0 then found[#found + 1] = sql(younger) end
      end
      assert.equal("nothing found\n", store("check").stdout) -- they are younger than a minute
      holder:kill "sigkill"
      writer:kill "sigkill"
      sql "ROLLBACK PREPARED 'left'"
      assert.equal(2, #found)
      assert.equal(2, select(2, found[1]:gsub("|maker|psql|0", "")), found[1])
      assert.equal("left", found[2])
    end)

    it("says what it cannot see", function()
      sql "GRANT bide_owner TO ada"
      finds("the sessions of others cannot be seen", "ada")
    end)
  end)
end)
