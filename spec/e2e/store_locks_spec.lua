---How the functions of the store in PostgreSQL find rows, and in which order they lock them.

local Cluster = require "spec.support.store_cluster"
local process = require "spec.support.process"

local cluster = Cluster.installed(nil, "autovacuum=off", "session_preload_libraries=auto_explain", "deadlock_timeout=50ms",
  "max_connections=40")
if not cluster then return end

---How many turns are overdue, and how many transactions compete for locks. More than these find no more here.
local TURNS = tonumber(os.getenv "BIDE_TURNS") or 100000
local TRANSACTIONS = tonumber(os.getenv "BIDE_LOCKS") or 4000

local CLIENTS = 8

describe("the store", function()
  setup(function()
    for _, role in ipairs { "wim", "ada" } do
      cluster:admin(([[
ALTER ROLE wim SET auto_explain.log_min_duration = 0;
ALTER ROLE wim SET auto_explain.log_analyze = on;
ALTER ROLE wim SET auto_explain.log_buffers = on;
ALTER ROLE wim SET auto_explain.log_nested_statements = on;
ALTER ROLE wim SET client_min_messages = log;]]):gsub("wim", role))
    end
  end)
  before_each(function() cluster:empty() end)

  local function bare_enter()
    return cluster:sql("pia", "SELECT id FROM bide.enter('w', 'trusted', '1', 'h', 1, '{default}', 10, '{0,1}')")
  end

  describe("plans", function()
    local me

    ---Runs statements as a role, and returns their plans.
    local function plans_of(role, text)
      local done = process.run(cluster:client(role), { tool = true, stdin = text, cwd = "/" })
      assert.equal(0, done.code, done.stderr)
      return done.stderr, tonumber(done.stdout)
    end

    ---Runs a function as wim, and returns the plans of its statements.
    local function plans(call, ...)
      return plans_of("wim", "SELECT count(*) FROM bide." .. call:format(...))
    end

    local function assert_by_index(text, index)
      assert.matches("Index Scan using " .. index, text, 1, true)
      for _, table in ipairs { "turn", "wait", "run" } do assert.not_matches("Seq Scan on " .. table, text, 1, true) end
      assert.not_matches("Hash Join", text, 1, true)
    end

    ---Returns how many pages the scans of the index read.
    local function pages(text)
      local sum = 0
      for conditions in text:gmatch "Index Scan using turn_due [^\n]*\n(.-Buffers[^\n]*)" do
        sum = sum + tonumber(conditions:match "hit=(%d+)" or 0) + tonumber(conditions:match "read=(%d+)" or 0)
      end
      return sum
    end

    local function claim(back)
      local text, count = plans("claim(%s, 1, 2::smallint, 500, 1000000, %d)", me, back or math.maxinteger)
      assert_by_index(text, "turn_due")
      return text, count
    end

    ---A text once for each id.
    local function each(ids, text) return (text .. ","):rep(#ids):sub(1, -2) end

    local function settle(ids)
      local list = table.concat(ids, ",")
      return plans([[settle(%s, false, '{%s}', '{%s}', '{%s}', '{%s}',
        (SELECT array_agg('\x01'::bytea) FROM unnest('{%s}'::bigint[])), '{%s}', '{%s}', '{%s}')]],
        me, list, each(ids, "1"), each(ids, "9000000000000000"), each(ids, "1"),
        list, each(ids, "x"), each(ids, "x"), each(ids, "x"))
    end

    local function finish(ids)
      local list = table.concat(ids, ",")
      return plans("finish(%s, '{%s}', '{%s}', '{%s}', '{%s}', '{%s}')", me, list, each(ids, "1"),
        each(ids, "x"), each(ids, "true"), each(ids, "x"))
    end

    before_each(function()
      me = cluster:admin([[
GRANT bide_worker TO postgres; INSERT INTO bide.queue_grant VALUES ('postgres', 1, true, true) ON CONFLICT DO NOTHING;
INSERT INTO bide.worker (id, name, kind, version, host, pid, role, queues, slots, formats, began, lease)
  VALUES (4711, 'w', 'trusted', '1', 'h', 1, 'wim', '{1}', 10, '{0,1}', 0, 1::bigint << 60) RETURNING id]])
    end)

    ---Makes a run with that many overdue turns, past the functions.
    local function overdue(count)
      cluster:submit()
      cluster:admin(([[
INSERT INTO bide.wait (id, run, position, definition, deadline, input)
  SELECT 1000000 + i, (SELECT id FROM bide.run), i + 1, 1, 1::bigint << 60, '{}' FROM generate_series(1, %d) i;
INSERT INTO bide.turn (id, due, deadline, queue, bundle, definition, lane, format, state)
  SELECT 1000000 + i, bide.clock() - 3600000000 + i, 1::bigint << 60, 1, 1, 1, 2, 0, '' FROM generate_series(1, %d) i;]])
        :format(count, count))
    end

    it("are index scans on an empty table", function()
      cluster:submit()
      local _, count = claim()
      assert.equal(1, count)
      assert_by_index(settle { 999, 998 }, "turn_pkey")
    end)

    it("are index scans with statistics of before, and with those of now", function()
      cluster:admin("ANALYZE bide.turn; ANALYZE bide.wait; ANALYZE bide.run")
      overdue(TURNS)
      for round = 1, 3 do
        local text, count = claim()
        assert.equal(500, count)
        assert.is_true(pages(text) < 600, text)
        local ids = {}
        for id in cluster:admin("SELECT id FROM bide.turn WHERE worker = 4711 AND attempts = 0"):gmatch "%d+" do
          ids[#ids + 1] = id
        end
        text, count = (round == 2 and finish or settle)(ids)
        assert.equal(500, count)
        assert_by_index(text, "turn_pkey")
        assert.not_matches("using turn_worker", text, 1, true)
        assert.matches("Insert on attempt", text, 1, true)
        cluster:admin("ANALYZE bide.turn; ANALYZE bide.wait; ANALYZE bide.run")
      end
    end)

    ---Returns how many rows the scans of tables read that grow with what others submit.
    local function rows_read(text)
      local sum, scans = 0, 0
      for plan in text:gmatch "Scan [^>]*" do
        local table, rows, loops = plan:match "^[^\n]* on (%l+) [^\n]*%(actual [^\n]*rows=(%d+) loops=(%d+)%)"
        if table == "definition" or table == "bundle" then
          local removed = tonumber(plan:match "Rows Removed by [^\n:]*: (%d+)" or 0)
          sum, scans = sum + (tonumber(rows) + removed) * tonumber(loops), scans + 1
        end
      end
      return sum, scans
    end

    it("of a small submission read no more where there are many definitions", function()
      cluster:submit()
      local function submit()
        local text = plans_of("ada", cluster.submission { waits = 3, bundle = "small" })
        for _, table in ipairs { "definition", "bundle" } do
          assert.not_matches("Seq Scan on " .. table, text, 1, true)
        end
        return rows_read(text)
      end
      submit()
      local few, scans = submit()
      assert.is_true(few > 0 and scans > 2, scans)
      cluster:admin([[
INSERT INTO bide.definition (bundle, waiter, body, digest, used)
  SELECT b.id, 'W', i::text, sha256(i::text::bytea), 1::bigint << 60 FROM generate_series(1, 20000) i,
    (SELECT min(id) AS id FROM bide.bundle) b;
INSERT INTO bide.bundle (owner, digest, manifest, files, made, bytes)
  SELECT 'bob', sha256(i::text::bytea), 'm', '', 1::bigint << 60, 257 FROM generate_series(1, 20000) i;]])
      assert.equal(few, (submit()))
      cluster:admin("ANALYZE bide.definition; ANALYZE bide.bundle")
      assert.equal(few, (submit()))
    end)

    it("read a bounded part of the index while a snapshot is held", function()
      overdue(TURNS // 4)
      local release = cluster:hold "SELECT count(*) FROM bide.turn"
      cluster:admin("UPDATE bide.turn SET due = bide.clock() + 3600000000")
      cluster:submit()
      local text, count = claim(500000)
      assert.equal(1, count)
      assert.is_true(pages(text) < 40, text)
      release()
    end)
  end)

  local function pgbench(script, ...)
    cluster.directory:write("script.sql", script)
    return process.run({ cluster.pgbench, "-n", "-h", "127.0.0.1", "-p", tostring(cluster.port), "-f",
      cluster.directory.path .. "/script.sql", ... }, { tool = true, longest = 3600 })
  end

  it("uses no transaction id for claims that find nothing", function()
    cluster:admin("UPDATE bide.setting SET value = 600000000 WHERE name = 'lease'") -- the worker does not beat
    local me = bare_enter()
    local xmax = "SELECT pg_snapshot_xmax(pg_current_snapshot())"
    local before = cluster:admin(xmax)
    local done = pgbench(([[SELECT * FROM bide.claim(%s, 1, 2::smallint, 500, 1000000, 500000);
      SELECT * FROM bide.reap(true); SELECT bide.expire(); SELECT bide.clear(NULL); SELECT bide.take_back(%s, 1);
      SELECT bide.set_aside(%s, 1, 2::smallint);]]):format(me, me, me), "-U", "pia", "-t", "1000", "postgres")
    done:prints(0, "processed: 1000/1000")
    assert.equal(before, cluster:admin(xmax))
    cluster:submit()
    cluster:sql("pia", ("SELECT * FROM bide.claim(%s, 1, 2::smallint, 1, 0, 9000000)"):format(me))
    assert.not_equal(before, cluster:admin(xmax))
    cluster:admin("UPDATE bide.setting SET value = 10000000 WHERE name = 'lease'")
  end)

  it("locks in one order: nothing deadlocks, and nothing is lost or written twice", function()
    cluster:admin([[
CREATE SCHEMA test;
-- One verb by chance, for a worker that is entered anew where it has expired.
CREATE FUNCTION test.enter(client int) RETURNS void LANGUAGE sql AS $$
  INSERT INTO bide.worker (id, name, kind, version, host, pid, role, queues, slots, formats, began, lease)
    VALUES (client + 1, 'w', 'trusted', '1', 'h', 1, 'postgres', '{1}', 10, '{0,1}', 0, bide.clock() + 3600000000)
    ON CONFLICT DO NOTHING
$$;
CREATE FUNCTION test.verb(me bigint, verb int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  ids bigint[];
  ns int[];
  n int;
BEGIN
  IF verb < 30 THEN
    PERFORM bide.claim(me, 1, 2::smallint, 20, 1000000, 9000000000000000);
    RETURN;
  END IF;
  SELECT array_agg(x.id), array_agg(x.attempts + 1), count(*) INTO ids, ns, n FROM
    (SELECT t.id, t.attempts FROM bide.turn t WHERE t.worker = me ORDER BY random() LIMIT 12) x;
  IF verb < 70 AND n > 0 THEN
    IF verb < 45 THEN
      PERFORM bide.settle(me, verb < 35, ids, ns, array_fill(0::bigint, ARRAY[n]), array_fill(1::smallint, ARRAY[n]),
        array_fill('x'::bytea, ARRAY[n]), array_fill('{}'::text, ARRAY[n]), array_fill(''::text, ARRAY[n]),
        array_fill('{}'::text, ARRAY[n]));
    ELSE
      PERFORM bide.finish(me, ids, ns, array_fill('{}'::text, ARRAY[n]),
        ARRAY(SELECT random() < 0.9 FROM generate_series(1, n)), array_fill('{}'::text, ARRAY[n]));
    END IF;
  ELSIF verb < 78 THEN
    PERFORM bide.sync(me, coalesce(ids[1:5], '{}'));
  ELSIF verb < 82 THEN
    UPDATE bide.worker SET lease = 1 WHERE id = (random() * 8)::int + 1;
  ELSIF verb < 88 THEN
    PERFORM bide.reap(true);
  ELSIF verb < 91 THEN
    PERFORM bide.clear(NULL);
  ELSIF verb < 93 THEN
    PERFORM bide.cancel((SELECT r.id FROM bide.run r WHERE r.decided IS NULL ORDER BY random() LIMIT 1));
  ELSIF verb < 94 THEN
    PERFORM bide.strike(me, 1 + (me % 8), ids[1], 'x');
  ELSIF verb < 95 THEN
    PERFORM bide.leave(me);
  ELSIF verb < 97 THEN
    PERFORM bide.expire();
  ELSE
    INSERT INTO bide.staging (position, definition, max_wait, input)
      SELECT i, 1, CASE WHEN random() < 0.1 THEN 5000 ELSE 600000000 END, '{}' FROM generate_series(1, 40) i;
    PERFORM bide.submit('default', 2::smallint, CASE WHEN verb = 97 THEN 'stop' ELSE 'go' END,
      CASE WHEN random() < 0.5 THEN 10 ELSE 40 END, CASE WHEN verb = 98 THEN 5 END, 7, '{}', 2::smallint, NULL, NULL,
      ARRAY(SELECT id FROM test.definition));
  END IF;
EXCEPTION WHEN SQLSTATE 'BD001' THEN
  PERFORM test.enter((me - 1)::int);
END $$;
UPDATE bide.setting SET value = 1000 WHERE name = 'ahead';
INSERT INTO bide.queue_grant VALUES ('postgres', 1, true, true) ON CONFLICT DO NOTHING;
CREATE TABLE test.definition AS
  SELECT bide.put_definition(bide.put_bundle('bide-recipe 1 main=a.lua' || chr(10), '', NULL), 'Ready', '{}') AS id;]])
    for _ = 1, 12 do cluster:submit { waits = 40, need = 10, rule = "go", jobs = 7 } end
    -- Waits are over after 10 s; here they are at once, so that expire has something to do.
    cluster:admin("UPDATE bide.turn SET deadline = 1, due = 1 WHERE id % 9 = 0")
    local done = pgbench([[
\set verb random(0, 99)
SELECT test.enter(:client_id);
SELECT test.verb(:client_id + 1, :verb);]], "-U", "postgres", "-c", tostring(CLIENTS), "-j", "2", "-t",
      tostring(TRANSACTIONS // CLIENTS), "postgres")
    assert.equal(0, done.code, done.stderr)
    assert.not_matches("deadlock", done.stderr, 1, true)
    assert.matches(("processed: %d/%d"):format(TRANSACTIONS, TRANSACTIONS), done.stdout, 1, true)
    cluster:admin("ANALYZE")
    local function zero(what, text) assert.equal("0", cluster:admin("SELECT count(*) FROM " .. text), what) end
    zero("counters", [[bide.run r WHERE r.waits <> r.open + r.succeeded + r.failed + r.cancelled
      OR r.open <> (SELECT count(*) FROM bide.wait w WHERE w.run = r.id AND w.ended IS NULL)]])
    zero("ranks", [[(SELECT 1 FROM bide.wait w JOIN bide.run r ON r.id = w.run WHERE w.ended IS NOT NULL GROUP BY r.id
      HAVING min(w.rank) <> 1 OR max(w.rank) <> count(*) OR count(DISTINCT w.rank) <> count(*)) x]])
    zero("turns of ended waits", "bide.turn t JOIN bide.wait w ON w.id = t.id WHERE w.ended IS NOT NULL")
    zero("open waits without a turn", [[bide.wait w JOIN bide.run r ON r.id = w.run WHERE w.ended IS NULL
      AND r.decided IS NULL AND w.position <= r.opened AND NOT EXISTS (SELECT FROM bide.turn t WHERE t.id = w.id)]])
    zero("stuck waits behind --jobs", [[bide.run r WHERE r.decided IS NULL
      AND r.opened <> least(r.waits, coalesce(r.jobs, r.waits) + r.succeeded + r.failed + r.cancelled)]])
    zero("attempts twice", "(SELECT 1 FROM bide.attempt GROUP BY wait, attempt HAVING count(*) > 1) x")
    zero("holes", [[(SELECT 1 FROM bide.attempt GROUP BY wait HAVING max(attempt) <> count(*)) x]])
    zero("ended runs that are not decided", "bide.run r WHERE (r.open = 0) <> (r.ended IS NOT NULL) OR r.ended < r.decided")
    assert.not_equal("0", cluster:admin("SELECT count(*) FROM bide.attempt"))
  end)
end)
