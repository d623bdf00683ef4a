local Proxy = require "spec.support.proxy"
local Workspace = require "spec.support.workspace"
local bide = require "bide"
local certificates = require "spec.support.certificates"
local core = require "bide.core"
local leftovers = require "spec.support.leftovers"
local pgbouncer = require "spec.support.pgbouncer"
local postgres = require "spec.support.postgres"
local sessions = require "bide.postgres.session"
local uv = require "luv"

local rules = [[
local   all guarded               scram-sha-256
local   all all                   trust
hostssl all bound    127.0.0.1/32 scram-sha-256
host    all guarded  127.0.0.1/32 scram-sha-256
host    all old      127.0.0.1/32 md5
host    all clear    127.0.0.1/32 password
host    all all      127.0.0.1/32 trust
]]

local types = sessions.types

describe("bide.postgres.session, with PostgreSQL", function()
  local programs, missing = postgres.find()
  if not programs then return pending(missing) end

  local workspace, server

  local function options(given)
    local all = { host = "127.0.0.1", port = server.port, user = "postgres", dbname = "postgres" }
    for name, value in pairs(given or {}) do all[name] = value end
    return all
  end

  local function open(given) return assert(sessions.open(options(given))) end

  setup(function()
    workspace = Workspace.make_in_memory()
    certificates(workspace)
    server = postgres.new(programs, workspace, rules)
    for _, name in ipairs { "server.key", "server.pem" } do postgres.own(workspace.path .. "/" .. name) end
    server:start("ssl=on", "ssl_cert_file=" .. workspace.path .. "/server.pem",
      "ssl_key_file=" .. workspace.path .. "/server.key")
    server:await()
    server:query [[SET password_encryption = 'scram-sha-256'; -- version 13 has md5
      CREATE ROLE guarded LOGIN PASSWORD 'open sesame'; CREATE ROLE bound LOGIN PASSWORD 'x';
      CREATE ROLE clear LOGIN PASSWORD 'x']]
    server:query "SET password_encryption = md5; CREATE ROLE old LOGIN PASSWORD 'x'"
    server:query "CREATE TABLE jobs (id bigint PRIMARY KEY, note text)"
  end)

  teardown(function()
    server:stop()
    workspace:remove()
  end)

  after_each(function()
    uv.run "nowait"
    assert.is_nil(leftovers.find())
  end)

  it("asks again and again, with the same answers by text and by binary", function()
    for _, prepare in ipairs { true, false } do
      local session <close> = open { prepare = prepare }
      for number = 1, 4 do
        local rows = assert(session:query([[SELECT $1::bigint + 1 AS id, 0.5::float8 AS half, true AS yes, 'x'::text AS note,
          '\x00ff'::bytea AS raw, ARRAY[1,NULL,3] AS list, '{"a b",NULL}'::text[] AS texts, NULL AS nothing,
          '2026-01-02'::date AS day]], number))
        assert.same({ { id = number + 1, half = 0.5, yes = true, note = "x", raw = "\0\xFF", list = { 1, nil, 3, n = 3 },
          texts = { "a b", nil, n = 2 }, day = "2026-01-02" } }, rows)
        assert.equal(1, rows.affected)
        assert.same({ "id", "half", "yes", "note", "raw", "list", "texts", "nothing", "day" }, rows.columns)
      end
    end
  end)

  it("binds parameters of each type", function()
    local session <close> = open()
    for _ = 1, 2 do
      local rows = assert(session:query(
        "SELECT $1::bigint[] AS a, $2::bytea[] AS b, $3::text[] AS c, $4::int[] AS d, $5::bytea AS e",
        types.bigints { 1, nil, math.mininteger, n = 3 }, types.byteas { "\0'\\" }, types.texts { "a,b", nil, n = 2 },
        types.ints {}, types.bytea "\\x\0"))
      assert.same({ a = { 1, nil, math.mininteger, n = 3 }, b = { "\0'\\", n = 1 }, c = { "a,b", nil, n = 2 }, d = { n = 0 },
        e = "\\x\0" }, rows[1])
    end
    assert.same({ { a = "'; DROP TABLE jobs --", b = false } },
      session:query("SELECT $1::text AS a, $2::bool AS b, $3::text AS c", "'; DROP TABLE jobs --", false, nil))
    assert.has_error(function() session:query("SELECT $1", {}) end)
    assert.has_error(function() session:query "SELECT 1\0" end)
  end)

  it("says why a statement was refused, and goes on", function()
    local session <close> = open()
    local rows, failure = session:query "SELECT 1/0"
    assert.is_nil(rows)
    assert.same({ "refused", "22012", "22012", "division by zero" },
      { failure.kind, failure.sqlstate, failure.type, failure.message })
    assert.is_nil(failure.uncertain)
    assert.equal("22012: division by zero", tostring(failure))
    assert(session:query "INSERT INTO jobs VALUES (-1, 'x')")
    failure = select(2, session:query "INSERT INTO jobs VALUES (-1, 'x')")
    assert.same({ "23505", "jobs_pkey" }, { failure.sqlstate, failure.constraint })
    for _ = 1, 3 do assert.equal("42601", select(2, session:query "SELEC").sqlstate) end
    assert.equal("22P02", select(2, session:query("SELECT $1::int AS a", "x")).sqlstate)
    assert.same({ { a = 1 } }, session:query("SELECT $1::int AS a", 1))
    assert.equal(1, session:query("DELETE FROM jobs").affected)
  end)

  it("finds out when the columns of a statement are others", function()
    for _, prepare in ipairs { true, false } do
      local session <close> = open { prepare = prepare }
      assert(session:query "CREATE TEMP TABLE t (a int)")
      assert(session:query "INSERT INTO t VALUES (7)")
      for _ = 1, 3 do assert.same({ { a = 7 } }, session:query "SELECT * FROM t") end
      assert(session:query "ALTER TABLE t ADD COLUMN b text DEFAULT 'x'")
      session:query "SELECT * FROM t" -- may fail once: the server, or bide, had the columns of before
      assert.same({ { a = 7, b = "x" } }, session:query "SELECT * FROM t")
      assert(session:query "DEALLOCATE ALL")
      session:query "SELECT * FROM t"
      assert.same({ { a = 7, b = "x" } }, session:query "SELECT * FROM t")
    end
  end)

  it("sends several statements before the first is answered, each a transaction of its own", function()
    local session <close> = open()
    local pending = {}
    for number = 1, 200 do
      pending[number] = number % 10 == 0 and session:send "SELECT 1/0" or session:send("SELECT $1::int AS a", number)
    end
    for number = 200, 1, -1 do
      local rows, failure = pending[number]:await()
      if number % 10 == 0 then assert.equal("22012", failure.sqlstate) else assert.same({ { a = number } }, rows) end
    end
    assert.equal("42601", select(2, session:send("SELEC"):await()).sqlstate)
  end)

  it("gives a result of more than any dialogue holds, and no more than its limit", function()
    local session <close> = open()
    local rows = assert(session:query "SELECT g AS id, repeat('x', 1000) AS note FROM generate_series(1, 5000) g")
    assert.equal(5000, #rows)
    assert.equal(1000, #rows[5000].note)
    assert.equal(3000000, #session:query("SELECT repeat('x', 3000000) AS note")[1].note)
    local small <close> = open { result_limit = 100000 }
    local _, failure = small:query "SELECT repeat('x', 1000) AS note FROM generate_series(1, 100000) g"
    assert.same({ "broken", "InvalidAnswer" }, { failure.kind, failure.type })
    assert.matches("at most 100000 bytes", failure.message)
    assert.is_false(small:is_open())
    assert.equal(failure.type, select(2, small:query "SELECT 1").type)
    local narrow <close> = open { message_limit = 1000 }
    assert.matches("at most 1000 bytes, found 2", select(2, narrow:query "SELECT repeat('x', 2000)").message)
  end)

  it("holds the loop for some milliseconds at most, whatever comes", function()
    local session <close> = open()
    local longest, last = 0, os.clock() -- of the processor: other work of the machine holds the loop as well
    local ticker = uv.new_timer()
    ticker:start(1, 1, function()
      local now = os.clock()
      longest, last = math.max(longest, now - last), now
    end)
    assert.equal(60000, #session:query "SELECT g AS id, 'note' AS note, g AS other FROM generate_series(1, 60000) g")
    ticker:close()
    assert.is_true(longest < 0.1, longest) -- without slices it is a second
  end)

  it("is shared by tasks, and a task that is cut leaves it in step", function()
    local session <close> = open()
    local tasks = {}
    for number = 1, 20 do
      tasks[number] = bide.spawn(function()
        return session:query("SELECT $1::int AS a, pg_sleep(0.002)", number)[1].a
      end)
    end
    tasks[7]:cancel()
    for number = 1, 20 do
      if number ~= 7 then assert.equal(number, tasks[number]:join()) end
    end
    local is_over = not pcall(bide.timeout, 0.05, function() return session:query "SELECT pg_sleep(0.3)" end)
    assert.is_true(is_over)
    assert.same({ { a = 5 } }, session:query "SELECT 5 AS a")
  end)

  it("commits a transaction, and rolls it back if its function fails, is cut, or had a failure", function()
    local session <close> = open()
    local function count() return session:query("SELECT count(*) AS n FROM jobs")[1].n end
    assert.equal("made", session:transaction(function(within)
      assert(within:query "INSERT INTO jobs VALUES (1, 'a')")
      return "made"
    end))
    assert.equal(1, count())
    assert.is_true(session:transaction(function() end))
    local kept
    assert.same({ nil, "no" }, { session:transaction(function(within)
      kept = within
      within:query "DELETE FROM jobs"
      return nil, "no"
    end) })
    assert.has_error(function()
      session:transaction(function(within)
        within:query "DELETE FROM jobs"
        error "stop"
      end)
    end)
    assert.equal(1, count())
    local _, failure = session:transaction(function(within)
      within:query "DELETE FROM jobs"
      within:query "SELECT 1/0"
      return "not so"
    end)
    assert.equal("25P02", failure.sqlstate)
    assert.is_false((pcall(bide.timeout, 0.05, function()
      session:transaction(function(within)
        within:query "DELETE FROM jobs"
        within:query "SELECT pg_sleep(0.2)"
      end)
    end)))
    assert.equal(1, count())
    assert.has_error(function() kept:query "SELECT 1" end)
  end)

  it("lets others wait until a transaction has ended", function()
    local session <close> = open()
    local order = {}
    local first = bide.spawn(function()
      session:transaction(function(within)
        order[#order + 1] = "begins"
        within:query "SELECT pg_sleep(0.05)"
        order[#order + 1] = "ends"
      end)
    end)
    local others = {}
    for number = 1, 3 do
      others[number] = bide.spawn(function()
        assert(session:query "SELECT 1")
        order[#order + 1] = tostring(number)
      end)
    end
    first:join()
    for _, other in ipairs(others) do other:join() end
    assert.equal("begins ends 1 2 3", table.concat(order, " "))
    assert.has_error(function() session:transaction(function() session:query "SELECT 1" end) end)
    assert(session:query "SELECT 1")
  end)

  it("closes if a statement leaves a transaction open, which the next one could not know", function()
    local session <close> = open()
    local rows, failure = session:query "BEGIN"
    assert.is_nil(rows)
    assert.equal("a statement has left a transaction open, which ends here: use transaction", failure.message)
    assert.is_false(session:is_open())
    assert.equal(failure.message, select(2, session:query "SELECT 1").message)
  end)

  it("copies rows in and out", function()
    local session <close> = open()
    assert(session:query "CREATE TEMP TABLE t (a bigint, b text)")
    assert.equal(2, session:copy_in("COPY t FROM STDIN", sessions.row(1, "a\tb\\c\n\r") .. sessions.row(2, nil)))
    local position = 0
    assert.equal(50000, session:copy_in("COPY t FROM STDIN", function()
      position = position + 1
      if position > 50000 then return nil end
      if position % 10000 == 0 then bide.timeout(1, function() session:is_open() end) end
      return sessions.row(position + 2, ("x"):rep(100))
    end))
    assert.same({ { n = 50002, b = "a\tb\\c\n\r" } },
      session:query "SELECT count(*) AS n, max(b) FILTER (WHERE a = 1) AS b FROM t")
    local size, rows = 0, 0
    assert.equal(50002, session:copy_out("COPY t TO STDOUT", function(text)
      size, rows = size + #text, rows + select(2, text:gsub("\n", ""))
    end))
    assert.equal(50002, rows)
    assert.is_true(size > 5000000)
  end)

  it("hands rows over one by one, however many they are", function()
    local session <close> = open { result_limit = 10000 }
    local count, sum, many = 0, 0, "SELECT g AS a, $1::text AS b FROM generate_series(1, 20000) g"
    assert.equal(20000, session:each(function(row)
      count, sum = count + 1, sum + row.a
      assert.equal("x", row.b)
    end, many, "x"))
    assert.same({ 20000, 200010000 }, { count, sum })
    assert.matches("select fewer rows", select(2, session:query(many, "x")).message)
    assert.is_false(session:is_open())
  end)

  it("hands no rows over after what a consumer raises, after a cut, and says what has failed", function()
    local session <close> = open()
    local count = 0
    local function take(row)
      count = count + 1
      if row.a == 3 then error("enough", 0) end
    end
    assert.has_error(function() session:each(take, "SELECT generate_series(1, 1000) AS a") end, "enough")
    assert.equal(3, count)
    local function wait() session:query "SELECT 1" end
    assert.matches("may not wait", select(2, pcall(session.each, session, wait, "SELECT 1 AS a")))
    local done, failure = session:each(take, "SELECT 1 / (g - 2) AS a FROM generate_series(1, 3) g")
    assert.same({ nil, "22012" }, { done, failure.sqlstate })
    count = 0
    assert.is_false((pcall(bide.timeout, 0.05, function()
      session:each(take, "SELECT 1 AS a, pg_sleep(0.2) UNION ALL SELECT 2, pg_sleep(0)")
    end)))
    assert.same({ { n = 7 } }, session:query "SELECT 7 AS n")
    assert.equal(0, count)
    assert.has_error(function() session:each("SELECT 1", take) end)
  end)

  it("ends a COPY that fails, is cut, or was none", function()
    local session <close> = open()
    assert(session:query "CREATE TEMP TABLE t (a bigint)")
    local count, failure = session:copy_in("COPY t FROM STDIN", "7\nx\n")
    assert.is_nil(count)
    assert.equal("22P02", failure.sqlstate)
    local asked = 0
    count, failure = session:copy_in("COPY t FROM STDIN", function()
      asked = asked + 1
      return ("x\n"):rep(10000)
    end)
    assert.is_nil(count)
    assert.equal("22P02", failure.sqlstate)
    assert.is_true(asked < 10000)
    assert.equal("42P01", select(2, session:copy_in("COPY missing FROM STDIN", "7\n")).sqlstate)
    assert.has_error(function() session:copy_in("COPY t FROM STDIN", function() return 7 end) end)
    assert.is_false((pcall(bide.timeout, 0.05, function()
      session:copy_in("COPY t FROM STDIN", function()
        bide.receive_next(1, 0.02)
        return "8\n"
      end)
    end)))
    assert.same({ { n = 0 } }, session:query "SELECT count(*) AS n FROM t")
    assert.matches("expected COPY FROM STDIN, found another statement", select(2, session:copy_in("SET x.y = 1", "7")).message)
    assert.is_true(session:is_open())
    assert.matches("expected a COPY", select(2, session:copy_in("SELECT 1", "7")).message)
    assert.is_false(session:is_open())
    local other <close> = open()
    assert.matches("FROM STDIN needs copy_in", select(2, other:query "COPY jobs FROM STDIN").message)
    local third <close> = open()
    assert.is_false((pcall(third.copy_out, third, "COPY (SELECT generate_series(1, 1000000)) TO STDOUT", error)))
    assert.is_false(third:is_open())
  end)

  it("hands notifications to a function", function()
    local told = {}
    local session <close> = open { notify = function(channel, payload) told[#told + 1] = channel .. "=" .. payload end }
    assert(session:query "LISTEN news")
    server:query "NOTIFY news, 'one'; NOTIFY news, 'two'"
    local deadline = uv.hrtime() + 5e9
    while #told < 2 and uv.hrtime() < deadline do bide.receive_next(1, 0.01) end
    assert.same({ "news=one", "news=two" }, told)
    local failing = open { notify = function() error "it broke" end }
    assert(failing:query "LISTEN news")
    server:query "NOTIFY news"
    assert.matches("it broke", failing:await_end().message)
  end)

  it("notices that it is ended", function()
    local session = open()
    local pid = session:query("SELECT pg_backend_pid() AS pid")[1].pid
    local pending = session:send "SELECT pg_sleep(5)"
    server:query(("SELECT pg_terminate_backend(%d)"):format(pid))
    local _, failure = pending:await()
    assert.same({ "away", "57P01" }, { failure.kind, failure.sqlstate })
    assert.equal("57P01", session:await_end().sqlstate)
    assert.is_false(session:is_open())
    assert.equal("away", select(2, session:query "SELECT 1").kind)
    local other = open()
    other:close()
    other:close()
    assert.equal("SessionClosed", select(2, other:query "SELECT 1").type)
  end)

  it("does not wait longer than its time for a server that is stopped", function()
    local session <close> = open { timeout = 0.3 }
    local group = session:query("SELECT pg_backend_pid() AS pid")[1].pid
    uv.kill(group, "sigstop")
    local began = uv.hrtime()
    local first, second = session:send "SELECT 1", session:send "SELECT 2"
    local _, failure = first:await()
    uv.kill(group, "sigcont")
    assert.same({ "away", "RequestTimeout", true }, { failure.kind, failure.type, failure.uncertain })
    assert.matches("^no answer in time from 127.0.0.1:%d+: none within 0.3 s", failure.message)
    assert.equal("RequestTimeout", select(2, second:await()).type)
    assert.is_true(uv.hrtime() - began < 5e9)
    assert.is_nil(session:await_end().uncertain)
  end)

  it("does not wait longer than its time where the network loses what is sent, either way", function()
    local proxy = Proxy.start(server.port)
    finally(function() proxy:close() end)
    for _, direction in ipairs { "both", "to_server", "to_client" } do
      proxy.delay = 5
      local session <close> = open { port = proxy.port, timeout = 0.3 }
      assert.same({ { a = 1 } }, session:query "SELECT 1 AS a")
      proxy:stop(direction)
      local longest, last = 0, uv.hrtime()
      local ticker = uv.new_timer()
      ticker:start(1, 1, function()
        local now = uv.hrtime()
        longest, last = math.max(longest, now - last), now
      end)
      local _, failure = session:query "SELECT 2 AS a"
      ticker:close()
      assert.same({ "away", "RequestTimeout", true }, { failure.kind, failure.type, failure.uncertain })
      assert.is_true(longest < 100e6, longest / 1e6) -- on a busy machine; see make bench-store
      _, failure = sessions.open(options { port = proxy.port, connect_timeout = 0.2 })
      assert.equal("RequestTimeout", failure.type)
      local several <close> = assert(sessions.open(options { host = "127.0.0.1,127.0.0.1",
        port = ("%d,%d"):format(proxy.port, server.port), connect_timeout = 0.2 }))
      assert.is_true(several:is_open())
      proxy:resume()
    end
  end)

  it("does not wait for a COPY that nobody takes, and counts no time that its own side takes", function()
    local proxy = Proxy.start(server.port)
    finally(function() proxy:close() end)
    local session <close> = open { port = proxy.port, timeout = 0.3 }
    assert(session:query "CREATE TEMP TABLE t (a text)")
    local asked = 0
    assert.equal(3, session:copy_in("COPY t FROM STDIN", function()
      bide.receive_next(1, 0.2)
      asked = asked + 1
      return asked <= 3 and "x\n" or nil
    end))
    local taken = 0
    local count, failure = session:copy_in("COPY t FROM STDIN", function()
      taken = taken + 1
      if taken == 3 then proxy:stop "both" end
      return (("x"):rep(99) .. "\n"):rep(1000)
    end)
    assert.is_nil(count)
    assert.equal("RequestTimeout", failure.type)
    assert.is_true(taken < 1000)
    proxy:resume()
    local other <close> = open { port = proxy.port, timeout = 0.3 }
    count, failure = other:copy_out("COPY (SELECT repeat('x', 1000) FROM generate_series(1, 100000)) TO STDOUT", function()
      proxy:stop "both"
    end)
    assert.is_nil(count)
    assert.equal("RequestTimeout", failure.type)
  end)

  it("keeps little of a COPY in memory that is taken slowly", function()
    local session <close> = open()
    collectgarbage()
    local before, most = collectgarbage "count", 0
    assert.equal(100000, session:copy_out("COPY (SELECT repeat('x', 1000) FROM generate_series(1, 100000)) TO STDOUT", function()
      if most == 0 then bide.receive_next(1, 0.2) end
      collectgarbage()
      most = math.max(most, collectgarbage "count")
    end))
    assert.is_true(most - before < 16 * 1024, most - before)
  end)

  it("shows a password by SCRAM alone", function()
    local session <close> = open { user = "guarded", password = "open sesame" }
    assert.same({ { current_user = "guarded" } }, session:query "SELECT current_user")
    local function failure(given) return select(2, sessions.open(options(given))) end
    assert.equal("28P01", failure({ user = "guarded", password = "sesame" }).sqlstate)
    assert.equal("refused", failure({ user = "guarded", password = "sesame" }).kind)
    assert.matches("requires a password, and there is none", failure({ user = "guarded", passfile = "/nowhere" }).message)
    for _, user in ipairs { "old", "clear" } do
      local found = failure { user = user, password = "x" }
      assert.same({ "broken", "UnknownAuthentication" }, { found.kind, found.type })
    end
    assert.matches("asked for no proof of the password; require_auth=none takes it", failure({ password = "x" }).message)
    local trusting <close> = open { password = "x", require_auth = "none" }
    assert.equal("3D000", failure({ dbname = "nowhere" }).sqlstate)
    assert.equal("mistake", failure({ sslmode = "maybe" }).kind)
    assert.is_not_nil(trusting)
  end)

  it("is bound to TLS, whose certificate is verified", function()
    local ca = workspace.path .. "/ca.pem"
    local session <close> = open { user = "bound", password = "x", sslmode = "verify-full", sslrootcert = ca,
      channel_binding = "require" }
    assert.same({ { ssl = true } }, session:query "SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()")
    assert.equal(3000000, #session:query("SELECT repeat('x', 3000000) AS note")[1].note)
    assert.equal(5000, #session:query "SELECT g AS id, repeat('x', 300) FROM generate_series(1, 5000) g")
    assert(session:query "CREATE TEMP TABLE t (a text)")
    assert.equal(20000, session:copy_in("COPY t FROM STDIN", (("x"):rep(99) .. "\n"):rep(20000)))
    assert.equal(20000, session:query("SELECT count(*) AS n FROM t WHERE length(a) = 99")[1].n)
    local function failure(given) return select(2, sessions.open(options(given))) end
    local found = failure { user = "bound", password = "x", sslmode = "verify-full" }
    assert.same({ "broken", "TlsFailure" }, { found.kind, found.type })
    assert.matches("channel_binding=require, but the server offers none",
      failure({ user = "guarded", password = "open sesame", sslmode = "disable", channel_binding = "require" }).message)
    assert.matches("asked for no proof", failure({ sslmode = "require", channel_binding = "require" }).message)
    local unproved <close> = open { password = "x", sslmode = "verify-full", sslrootcert = ca }
    assert.is_true(unproved:is_open())
  end)

  it("reads no file and no variable when it is opened again", function()
    local ca, passfile = workspace:write("own.pem", workspace:read "ca.pem"), workspace:write("pgpass", "*:*:*:bound:x\n")
    uv.fs_chmod(passfile, 384)
    local place = assert(sessions.prepare(options { user = "bound", sslmode = "verify-full", sslrootcert = ca,
      passfile = passfile }))
    uv.fs_unlink(ca)
    uv.fs_unlink(passfile)
    for _ = 1, 2 do
      local session <close> = assert(sessions.open(place))
      assert.same({ { current_user = "bound" } }, session:query "SELECT current_user")
    end
  end)

  it("goes over a unix socket", function()
    local session <close> = assert(sessions.open(("postgres://guarded:open%%20sesame@/postgres?host=%s&port=%d"):format(
      workspace.path, server.port)))
    assert.same({ { a = 1 } }, session:query "SELECT 1 AS a")
    local _, failure = sessions.open { host = workspace.path, port = 1, user = "x" }
    assert.same({ "away", "ConnectionFailed" }, { failure.kind, failure.type })
  end)

  it("tries its hosts in order, and takes one that writes", function()
    local session <close> = assert(sessions.open { host = "127.0.0.1,127.0.0.1", port = "1," .. server.port, user = "postgres" })
    assert.is_true(session:is_open())
    server:query "CREATE DATABASE quiet"
    server:query "ALTER DATABASE quiet SET default_transaction_read_only = on"
    local _, failure = sessions.open(options { dbname = "quiet", target_session_attrs = "read-write" })
    assert.same({ "away", "25006" }, { failure.kind, failure.sqlstate })
    _, failure = sessions.open { host = "127.0.0.1,127.0.0.1", port = "1,2", user = "postgres" }
    assert.same({ "away", "ConnectionRefused" }, { failure.kind, failure.type })
    assert.equal("connection refused by 127.0.0.1:1; connection refused by 127.0.0.1:2", failure.message)
    _, failure = sessions.open { host = "127.0.0.1,127.0.0.1", port = ("%d,%d"):format(server.port, server.port),
      user = "nobody2", dbname = "nowhere" }
    assert.equal("28000", failure.sqlstate)
  end)

  it("shares the connections of a pooler with prepare=off", function()
    local program, lacking = pgbouncer.find()
    if not program then return pending(lacking) end
    local pooler = pgbouncer.start(program, workspace, server, { guarded = "open sesame" }, 2)
    finally(function() pooler:stop() end)
    local function pooled(prepare)
      return assert(sessions.open(("postgres://guarded:open%%20sesame@127.0.0.1:%d/postgres?prepare=%s"):format(pooler.port,
        prepare)))
    end
    local list, tasks = {}, {}
    for number = 1, 6 do list[number] = pooled "off" end
    for number, session in ipairs(list) do
      for part = 1, 3 do
        tasks[#tasks + 1] = bide.spawn(function()
          for round = 1, 20 do
            local expected = number * 1000 + part * 100 + round
            assert.same({ { a = expected } }, session:query("SELECT $1::int AS a", expected))
            local pending = session:send("SELECT $1::int AS a, pg_sleep(0.001)::text AS b", expected)
            assert.same({ { a = expected, b = "" } }, pending:await())
          end
        end)
      end
    end
    for _, each in ipairs(tasks) do each:join() end
    assert.equal(2, list[1]:transaction(function(within)
      assert(within:query "CREATE TEMP TABLE t (a int) ON COMMIT DROP")
      assert.equal(2, within:copy_in("COPY t FROM STDIN", "7\n8\n"))
      within:send "SELECT 1"
      return within:query("SELECT count(*) AS n FROM t")[1].n
    end))
    for _, session in ipairs(list) do session:close() end
    local first <close> = pooled "on"
    local second <close> = pooled "on"
    local found
    for number = 1, 50 do -- the pool has two connections, and gives them out in turns
      local one, other = first:send("SELECT $1::int AS a", number), second:send("SELECT $1::int AS a", -number)
      for sign, pending in pairs { [1] = one, [-1] = other } do
        local rows, failure = pending:await()
        assert.is_true(failure ~= nil or rows[1].a == sign * number)
        found = found or failure
      end
    end
    if found then assert.matches("behind a pooler, give prepare=off", found.message) end
  end)

  it("closes when nobody holds it any more", function()
    local before = leftovers.descriptors()
    local session = open()
    assert(session:query "SELECT 1")
    session = nil -- luacheck: ignore
    collectgarbage()
    collectgarbage()
    core.loop.turn()
    core.loop.turn()
    assert.equal(before, leftovers.descriptors())
  end)
end)
