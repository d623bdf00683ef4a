---What each role may do in a store in PostgreSQL.

local Cluster = require "spec.support.store_cluster"
local process = require "spec.support.process"

local cluster = Cluster.installed()
if not cluster then return end

local all = { "about", "clock", "lag" }

---The functions that a role may call, besides those of all.
local of_role = {
  bide_submit = { "begin_submit", "cancel", "clear", "prune", "put_bundle", "put_definition", "submit" },
  bide_worker = { "beat", "claim", "clear", "close_host", "closed_hosts", "definition_of", "enter", "expire", "finish",
    "give_back", "leave", "maintain", "once", "once_end", "reap", "refuse", "reserve", "set_aside", "settle", "strike", "sync",
    "take_back" },
  bide_watch = {},
}

---Calls every function of the schema without values, and names those that the role may call.
local calls = [[
SET client_min_messages = notice;
DO $$
DECLARE
  f record;
BEGIN
  FOR f IN SELECT p.proname, (SELECT string_agg('NULL::' || t.type::regtype, ', ' ORDER BY t.nth)
      FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY t(type, nth)) AS arguments
      FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace WHERE n.nspname = 'bide' LOOP
    BEGIN
      EXECUTE format('SELECT * FROM bide.%I(%s)', f.proname, f.arguments);
      INSERT INTO pg_temp.callable VALUES (f.proname);
    EXCEPTION
      WHEN insufficient_privilege THEN NULL;
      WHEN others THEN INSERT INTO pg_temp.callable VALUES (f.proname);
    END;
  END LOOP;
END $$;
SELECT string_agg(name, ' ' ORDER BY name) FROM pg_temp.callable;]]

local tables = { "meta", "setting", "queue", "queue_grant", "bundle", "definition", "run", "wait", "turn", "attempt", "worker",
  "told", "aside", "pace", "request", "staging" }

describe("a role of the store", function()
  setup(function()
    cluster:admin([[
CREATE ROLE sam LOGIN; GRANT bide_submit TO sam; CREATE ROLE vic LOGIN; GRANT bide_watch TO vic;
CREATE ROLE rex LOGIN CREATEROLE;
INSERT INTO bide.queue (name) VALUES ('other');]])
  end)
  before_each(function() cluster:empty() end)

  it("may call its functions, and no others", function()
    for login, role in pairs { sam = "bide_submit", wim = "bide_worker", vic = "bide_watch", nobody = "" } do
      local expected = {}
      for _, names in ipairs { role ~= "" and all or {}, of_role[role] or {} } do
        table.move(names, 1, #names, #expected + 1, expected)
      end
      table.sort(expected)
      assert.equal(table.concat(expected, " "),
        cluster:sql(login, "CREATE TEMPORARY TABLE callable (name text);" .. calls), login)
    end
    assert.equal("0", cluster:admin([[SELECT count(*) FROM pg_proc p, aclexplode(coalesce(p.proacl,
      acldefault('f', p.proowner))) a WHERE p.pronamespace = 'bide'::regnamespace AND a.grantee = 0]]))
  end)

  it("reads and writes no table", function()
    local statements = {}
    for _, name in ipairs(tables) do
      for _, statement in ipairs { "PERFORM * FROM bide.%s", "DELETE FROM bide.%s", "TRUNCATE bide.%s", "LOCK TABLE bide.%s",
        "INSERT INTO bide.%s DEFAULT VALUES", "ALTER TABLE bide.%s DISABLE ROW LEVEL SECURITY", "DROP TABLE bide.%s",
        "CREATE TRIGGER t BEFORE INSERT ON bide.%s FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()" } do
        statement = statement:format(name)
        statements[#statements + 1] = ([[DO $x$ BEGIN
          BEGIN %s; EXCEPTION WHEN insufficient_privilege THEN RETURN; WHEN others THEN NULL; END;
          INSERT INTO allowed VALUES ('%s'); END $x$;]]):format(statement, statement)
      end
    end
    local text = "CREATE TEMPORARY TABLE allowed (statement text);" .. table.concat(statements, "\n") .. "TABLE allowed;"
    for _, login in ipairs { "ada", "wim", "vic", "nobody", "rex" } do
      -- COPY into the columns of staging is how a submitter gives its waits.
      assert.equal(login == "ada" and "INSERT INTO bide.staging DEFAULT VALUES" or "", cluster:sql(login, text), login)
    end
  end)

  it("changes and copies no table", function()
    local statements = { "\\set ON_ERROR_STOP off\n\\set VERBOSITY verbose" }
    for _, name in ipairs(tables) do
      local first = cluster:admin(
        ("SELECT attname FROM pg_attribute WHERE attrelid = 'bide.%s'::regclass AND attnum = 1"):format(name))
      for _, statement in ipairs { "COPY bide.%s TO STDOUT", "UPDATE bide.%s SET %s = DEFAULT",
        "COPY bide.%s (%s) FROM STDIN" } do
        statements[#statements + 1] = statement:format(name, first) .. ";" .. (statement:find "STDIN" and "\n\\." or "")
      end
    end
    for _, login in ipairs { "ada", "wim", "vic", "nobody", "rex" } do
      local done = process.run(cluster:client(login), { tool = true, cwd = "/", stdin = table.concat(statements, "\n") .. "\n" })
      local refused, others = 0, {}
      for state, message in done.stderr:gmatch "ERROR:%s+(%w+): ([^\n]*)" do
        if state == "42501" then refused = refused + 1 else others[#others + 1] = message end
      end
      assert.same({ "", {} }, { done.stdout, others }, login)
      -- COPY into the columns of staging is how a submitter gives its waits; here it gives none.
      assert.equal(#tables * 3 - (login == "ada" and 1 or 0), refused, login .. done.stderr)
    end
  end)

  it("is refused what would get around the functions", function()
    local row = "(position, definition, max_wait, input%s) VALUES (1, 1, 1, '{}'%s)"
    for _, case in ipairs {
      { "ada", "INSERT INTO bide.staging " .. row:format(", owner", ", 'bob'") },
      { "ada", "INSERT INTO bide.staging " .. row:format(", xact", ", '1'") },
      { "ada", "INSERT INTO bide.staging " .. row:format("", "") .. " RETURNING *" },
      { "ada", "COPY bide.staging TO STDOUT" },
      { "ada", "UPDATE bide.staging SET position = 2" },
      { "wim", "INSERT INTO bide.staging " .. row:format("", "") },
      { "ada", "SET ROLE bide_owner" }, { "wim", "SET ROLE bide_owner" }, { "ada", "SET SESSION AUTHORIZATION bob" },
      { "wim", "CREATE FUNCTION bide.clock(int) RETURNS int LANGUAGE sql AS 'SELECT 1'" },
      { "wim", "CREATE TABLE bide.mine (id int)" },
      { "wim", "CREATE OR REPLACE FUNCTION bide.clock() RETURNS bigint LANGUAGE sql AS 'SELECT 1'" },
      { "wim", "ALTER FUNCTION bide.clock() RENAME TO x" }, { "wim", "SELECT nextval('bide.run_id')" },
      { "ada", "GRANT bide_worker TO ada" }, { "vic", "SELECT bide.release('{}', '{}', 0)" },
      { "wim", "SELECT * FROM bide.runs" }, { "wim", "SELECT * FROM bide.waits" }, { "nobody", "SELECT * FROM bide.queues" },
      { "vic", "UPDATE bide.workers SET held = 1", "0A000" }, -- nobody writes this view
    } do
      assert.equal(case[3] or "42501", (cluster:failure(case[1], case[2])), case[2])
    end
  end)

  it("changes nothing by objects of its own in the search path", function()
    cluster:submit()
    local me = cluster:enter()
    assert.equal("1", cluster:sql("wim", ([[
CREATE TEMPORARY TABLE worker (id bigint, role name, lease bigint);
CREATE FUNCTION pg_temp.now() RETURNS int LANGUAGE sql AS 'SELECT 1/0';
CREATE FUNCTION pg_temp.count(bigint) RETURNS int LANGUAGE sql AS 'SELECT 1/0';
SET search_path = pg_temp, bide, pg_catalog;
SELECT count(*) FROM bide.claim(%s, 1, 2::smallint, 9, 0, 9000000);]]):format(me)))
  end)

  it("does nothing as the worker of another role", function()
    cluster:submit()
    local me = cluster:enter()
    local id = cluster:claim(me)[1]
    local old = cluster:enter()
    for _, call in ipairs {
      "beat(%s, 0, 0)", "claim(%s, 1, 2::smallint, 1, 0, 0)", "refuse(%s, 1)", "sync(%s, '{}')", "leave(%s)",
      "settle(%s, false, '{ID}', '{1}', '{1}', '{1}', ARRAY['x'::bytea], '{NULL}', '{NULL}', '{NULL}')",
      "finish(%s, '{ID}', '{1}', '{x}', '{true}', '{NULL}')", "strike(%s, OLD, ID, 'x')", "set_aside(%s, 1, 2::smallint)",
      "take_back(%s, 1)", "reserve(%s, 1, 'h', 1, 1, 1)", "give_back(%s, 1, 'h', 1, 1, 1)", "close_host(%s, 1, 'h', 1)",
      "once(%s, ID, 1, 'i', 't', '[1]', false, NULL)", "once_end(%s, ID, 1, 'i', 't', '1', true, NULL, NULL)",
    } do
      call = call:gsub("ID", id):gsub("OLD", old):format(me)
      assert.equal("BD001", (cluster:failure("pia", "SELECT * FROM bide." .. call)), call)
    end
    local mine = cluster:enter "pia"
    assert.equal("", cluster:sql("pia", ("SELECT * FROM bide.strike(%s, %s, %d, 'x')"):format(mine, me, id)))
    cluster:sql("wim", ("SELECT bide.close_host(%s, 1, 'h', 1000000)"):format(me))
    assert.equal("", cluster:sql("pia", ("SELECT * FROM bide.closed_hosts(%s, 1)"):format(me)))
    assert.equal("h", cluster:sql("pia", ("SELECT host FROM bide.closed_hosts(%s, 1)"):format(mine)))
    assert.equal(me .. "|0|0", cluster:admin("SELECT worker, attempts, strikes FROM bide.turn"))
  end)

  it("touches no queue in which its worker does not work", function()
    cluster:admin("UPDATE bide.setting SET value = 3600000000 WHERE name = 'lease'")
    local me = cluster:enter()
    cluster:admin([[UPDATE bide.setting SET value = 10000000 WHERE name = 'lease';
      INSERT INTO bide.pace VALUES (2, 'h', 1000000, 1, 7, 9223372036854775807, 0)]])
    for call, state in pairs { ["set_aside(%s, 2, 2::smallint)"] = "BD001", ["take_back(%s, 2)"] = "BD001",
      ["reserve(%s, 2, 'h', 1, 1, 1)"] = "BD005", ["claim(%s, 2, 2::smallint, 1, 0, 0)"] = "BD002" } do
      assert.equal(state, (cluster:failure("wim", "SELECT * FROM bide." .. call:format(me))), call)
    end
    assert.equal("f", cluster:sql("wim", ("SELECT bide.give_back(%s, 2, 'h', 1, 7, 1000000)"):format(me)))
    cluster:sql("wim", ("SELECT bide.close_host(%s, 2, 'other', 1000000)"):format(me))
    assert.equal("", cluster:sql("wim", ("SELECT * FROM bide.closed_hosts(%s, 2)"):format(me)))
    assert.equal("h|7", cluster:admin("SELECT host, free FROM bide.pace"))
  end)

  it("submits by no right to work, and works by none to submit", function()
    cluster:let_work "ada"
    cluster:admin([[INSERT INTO bide.queue_grant (role, queue, may_submit, may_work)
      VALUES ('ada', 2, false, true), ('bob', 2, true, false); GRANT bide_worker TO bob]])
    assert.equal("BD002", (cluster:failure("ada", cluster.submission { queue = "other" })))
    assert.equal("BD002", (cluster:failure("ada", "SELECT bide.begin_submit('other')")))
    local enter = "SELECT id FROM bide.enter('w', 'trusted', '1', 'h', 1, '{%s}', 1, '{0}')"
    assert.equal("BD002", (cluster:failure("bob", enter:format "other")))
    local me = cluster:sql("ada", enter:format "other")
    cluster:admin("UPDATE bide.queue_grant SET may_work = false, may_submit = true WHERE role = 'ada'")
    assert.equal("BD002", (cluster:failure("ada", ("SELECT * FROM bide.claim(%s, 2, 2::smallint, 1, 0, 0)"):format(me))))
    cluster:admin("DELETE FROM bide.queue_grant WHERE queue = 2 AND role IN ('ada', 'bob')")
    cluster:admin("REVOKE bide_worker FROM ada, bob")
  end)

  it("sees no queue, and no worker of a queue, without a right on it", function()
    cluster:enter()
    for _, view in ipairs { "queues", "workers" } do
      assert.equal("1", cluster:sql("ada", "SELECT count(*) FROM bide." .. view))
      assert.equal("0", cluster:sql("vic", "SELECT count(*) FROM bide." .. view), view)
    end
  end)

  it("is the one that logged in, whatever role it has set", function()
    local run = cluster:submit()
    cluster:admin("GRANT ada TO rex; GRANT bide_submit TO rex")
    assert.equal("unknown", cluster:sql("rex", ("SET ROLE ada; SELECT bide.cancel(%s)"):format(run)))
    assert.equal("0", cluster:sql("rex", "SET ROLE ada; SELECT count(*) FROM bide.runs"))
  end)

  it("learns nothing of others' rows by functions that it puts into a query of a view", function()
    cluster:submit { role = "ada" }
    assert.equal("0", cluster:sql("bob", [[
CREATE FUNCTION pg_temp.leak(text) RETURNS boolean COST 0.0001 LANGUAGE plpgsql AS
  $$ BEGIN RAISE EXCEPTION 'seen: %', $1; END $$;
SELECT count(*) FROM bide.waits WHERE pg_temp.leak(input);]]))
    -- Whether a query without it shows them depends on its plan.
    assert.equal("", cluster:admin([[SELECT relname FROM pg_class WHERE relnamespace = 'bide'::regnamespace
      AND relkind = 'v' AND NOT coalesce('security_barrier=true' = ANY (reloptions), false)]]))
  end)

  it("reads no recipe of which no worker of its own has claimed a turn, and uses none of others", function()
    cluster:submit()
    local me = cluster:enter()
    local id = cluster:admin("SELECT DISTINCT definition FROM bide.turn")
    assert.equal("BD007", (cluster:failure("wim", ("SELECT * FROM bide.definition_of(%s)"):format(id))))
    assert.equal(1, #cluster:claim(me))
    assert.equal("ada|f", cluster:sql("wim", ("SELECT owner, is_mine FROM bide.definition_of(%s)"):format(id)))
    assert.equal("BD007", (cluster:failure("pia", ("SELECT * FROM bide.definition_of(%s)"):format(id))))
    assert.equal("", cluster:sql("pia", "SELECT * FROM bide.definition_of(1000000)"))
    local bundle = cluster:admin("SELECT id FROM bide.bundle WHERE owner = 'ada' LIMIT 1")
    assert.equal("BD005", (cluster:failure("bob", ("SELECT bide.put_definition(%s, 'Ready', '{}')"):format(bundle))))
    assert.equal("BD005", (cluster:failure("bob",
      (cluster.submission():gsub("ARRAY%b[]", ("ARRAY[%s]"):format(id))))))
  end)

  it("works and submits in the queues that are granted", function()
    local function fails(role, text) return (cluster:failure(role, text)) end
    assert.equal("BD002", fails("ada", cluster.submission { queue = "other" }))
    assert.equal("BD002", fails("ada", cluster.submission { queue = "nowhere" }))
    assert.equal("BD002", fails("ada", "SELECT bide.begin_submit('other')"))
    assert.equal("BD002", fails("sam", cluster.submission()))
    assert.equal("BD002", fails("wim", "SELECT * FROM bide.enter('w', 'trusted', '1', 'h', 1, '{default,other}', 1, '{0}')"))
    assert.equal("BD005", fails("wim", "SELECT * FROM bide.enter('w', 'trusted', '1', 'h', 1, '{}', 1, '{0}')"))
    assert.equal("BD002", fails("wim", ("SELECT * FROM bide.claim(%s, 2, 2::smallint, 1, 0, 0)"):format(cluster:enter())))
    assert.equal("BD002", fails("vic", "SELECT bide.lag('default')"))
    cluster:admin("INSERT INTO bide.queue_grant VALUES ('sam', 2, true)")
    assert.equal("2", cluster:admin(("SELECT queue FROM bide.run WHERE id = %s")
      :format(cluster:submit { role = "sam", queue = "other" })))
  end)

  it("loses the right to claim with its grant", function()
    cluster:submit()
    local me = cluster:enter()
    cluster:admin("UPDATE bide.queue_grant SET may_work = false WHERE role = 'wim'")
    assert.same({ "BD002", "the role wim may not work in the queue default" },
      { cluster:failure("wim", ("SELECT * FROM bide.claim(%s, 1, 2::smallint, 1, 0, 0)"):format(me)) })
    cluster:admin("UPDATE bide.queue_grant SET may_work = true WHERE role = 'wim'")
  end)

  it("has quotas that many submits at once do not exceed", function()
    for column, most in pairs { most_open = 70, submits_a_minute = 7 } do
      cluster:empty()
      cluster:admin(("UPDATE bide.queue_grant SET %s = %d WHERE role = 'ada'"):format(column, most))
      local running, states = {}, {}
      for i = 1, 20 do
        running[i] = process.start(cluster:client "ada",
          { tool = true, cwd = "/", stdin = "\\set VERBOSITY verbose\n" .. cluster.submission { waits = 10 } })
      end
      for _, one in ipairs(running) do
        one:wait()
        local state = one.code == 0 and "made" or one.stderr:match "ERROR:%s+(%w+)" or one.stderr
        states[state] = (states[state] or 0) + 1
      end
      assert.same({ made = 7, BD003 = 13 }, states, column)
      assert.equal("7|70", cluster:admin("SELECT count(*), sum(open) FROM bide.run"))
      assert.equal("70|0",
        cluster:admin("SELECT (SELECT count(*) FROM bide.turn), (SELECT count(*) FROM bide.staging)"))
      cluster:admin(("UPDATE bide.queue_grant SET %s = NULL WHERE role = 'ada'"):format(column))
    end
  end)

  it("counts no runs as they were before others had submitted", function()
    for _, level in ipairs { "REPEATABLE READ", "SERIALIZABLE" } do
      local text = cluster.submission():gsub("BEGIN", "BEGIN ISOLATION LEVEL " .. level)
      assert.equal("BD005", (cluster:failure("ada", text)))
    end
  end)

  it("has quotas of open waits and of runs a minute", function()
    cluster:admin("UPDATE bide.queue_grant SET most_open = 5, submits_a_minute = 2 WHERE role = 'ada'")
    assert.equal("BD003", (cluster:failure("ada", cluster.submission { waits = 6 })))
    local run = cluster:submit { waits = 3 }
    local state, message = cluster:failure("ada", cluster.submission { waits = 3 })
    assert.same({ "BD003", "the role ada may have 5 open waits in the queue default, and would have 6: let some end first; "
      .. "an administrator may allow more by bide store grant --most-open" }, { state, message })
    cluster:submit { waits = 2 }
    state, message = cluster:failure("ada", cluster.submission())
    assert.same({ "BD003", "the role ada may submit 2 runs a minute to the queue default, and has: try again in a minute; "
      .. "an administrator may allow more by bide store grant --submits-a-minute" }, { state, message })
    cluster:admin("UPDATE bide.run SET began = began - 61000000")
    cluster:sql("ada", ("SELECT bide.cancel(%s); SELECT bide.clear(%s)"):format(run, run))
    cluster:admin("INSERT INTO bide.queue_grant VALUES ('ada', 2, true)")
    for _ = 1, 2 do -- those of others, and of another queue, are not counted
      cluster:submit { role = "bob", waits = 9 }
      cluster:submit { queue = "other", waits = 9 }
    end
    cluster:submit { waits = 3 }
    cluster:admin([[DELETE FROM bide.queue_grant WHERE role = 'ada' AND queue = 2;
      UPDATE bide.queue_grant SET most_open = NULL, submits_a_minute = NULL WHERE role = 'ada']])
  end)

  it("has the quota of the settings where its grant does not say", function()
    cluster:admin("UPDATE bide.setting SET value = 3 WHERE name = 'most_open'")
    local state, message = cluster:failure("ada", cluster.submission { waits = 4 })
    cluster:submit { waits = 3 }
    cluster:admin("UPDATE bide.setting SET value = 10000000 WHERE name = 'most_open'")
    assert.equal("BD003", state)
    assert.matches("may have 3 open waits", message)
  end)
end)
