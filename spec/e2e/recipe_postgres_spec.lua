local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local certificates = require "spec.support.certificates"
local postgres = require "spec.support.postgres"
local process = require "spec.support.process"

require "spec.support.proven"

local rules = [[
local all all                trust
host all guarded 127.0.0.1/32 scram-sha-256
host all old     127.0.0.1/32 md5
host all refused 127.0.0.1/32 reject
host all all     127.0.0.1/32 trust
]]

describe("the recipe postgres, with PostgreSQL", function()
  local programs, missing = postgres.find()
  if not programs then return pending(missing) end

  local workspace, server

  local function start(...)
    return workspace:start { "run", "postgres", "--min-delay", "50ms", "--max-delay", "50ms", ... }
  end

  local function ask(...) return start("host=127.0.0.1", "port=" .. server.port, ...) end

  setup(function()
    workspace = Workspace.make_in_memory()
    server = postgres.new(programs, workspace, rules)
    local started = ask("--max-wait", "40s", "--output", "json")
    started:wait_for_output "ConnectionRefused"
    server:start()
    started:wait():prints(0, '"waiter": "PostgresReady"')
    server:query "CREATE ROLE guarded LOGIN PASSWORD 'open sesame'"
    server:query "SET password_encryption = md5; CREATE ROLE old LOGIN PASSWORD 'x'"
    assert.matches('"answer": "ready",%s+"version": "%d+%.%d+', started.stdout)
  end)

  teardown(function()
    server:stop()
    workspace:remove()
  end)

  it("waits while it recovers, with its port open", function()
    server:stop()
    workspace:write("data/recovery.signal", "")
    server:start("restore_command=sleep 0.3; false", "hot_standby=off")
    ask("--max-wait", "40s"):wait():says(0, "57P03: the database system is starting up")
  end)

  it("waits while all connections are taken", function()
    server:stop()
    server:start("max_connections=1", "superuser_reserved_connections=0", "max_wal_senders=0")
    assert.equal(0, ask("--max-wait", "50s"):wait().code, server.service.process.stderr)
    local connection = server:hold()
    local started = ask("--max-wait", "40s")
    started:wait_for_output "53300: sorry, too many clients already"
    connection:close()
    assert.equal(0, started:wait().code, started.stderr)
    server:stop()
    server:start()
    assert.equal(0, ask("--max-wait", "40s"):wait().code)
  end)

  it("goes over a unix socket, whose folder is its host", function()
    local query = "SELECT inet_client_addr() IS NULL AS yes"
    for _, words in ipairs { { "host=" .. workspace.path, "port=" .. server.port }, { workspace.path, "port=" .. server.port },
      { ("postgres://postgres@:%d/postgres?host=%s"):format(server.port, workspace.path) } } do
      table.move({ "query=" .. query, "--max-wait", "10s", "--output", "json" }, 1, 5, #words + 1, words)
      workspace:start({ "run", "postgres", "RowFound", table.unpack(words) }):wait():prints(0, '"yes": "t"')
    end
    local done = start("host=/nowhere", "--max-wait", "0.2s"):wait()
    done:says(124, "/nowhere/.s.PGSQL.5432")
    done = workspace:start({ "run", "--sandbox", "postgres", "host=" .. workspace.path, "port=" .. server.port,
      "--max-wait", "2s" }):wait()
    assert.not_equal(0, done.code)
    assert.matches("sandboxed scripts may not use sockets of this machine", done.stderr)
  end)

  it("needs no password", function()
    ask("user=guarded", "--max-wait", "50s", "--output", "json"):wait():writes(0, '"answer": "passwordWanted"')
  end)

  it("shows a password, and fails where it is wrong or not enough", function()
    local done = ask("user=guarded", "password=open sesame", "database=postgres", "--max-wait", "50s", "--output", "json"):wait()
    done:writes(0, '"answer": "ready"')
    assert.not_matches("sesame", done.stdout)
    done = ask("user=guarded", "password=sesame", "database=postgres", "--max-wait", "50s"):wait()
    done:writes(1, '28P01: password authentication failed for user "guarded"')
    done = ask("user=guarded", "password=open sesame", "database=shop", "--max-wait", "50s"):wait()
    done:writes(1, '3D000: database "shop" does not exist')
    done = ask("user=old", "password=x", "--max-wait", "50s"):wait()
    done:writes(3, "UnknownAuthentication: the server requires another proof than SCRAM-SHA-256")
  end)

  it("fails where there is no such database or role, or the server refuses the role", function()
    local done = ask("database=shop", "--max-wait", "50s"):wait()
    done:writes(1, '3D000: database "shop" does not exist')
    done = ask("user=nobody", "--max-wait", "50s"):wait()
    done:writes(1, '28000: role "nobody" does not exist')
    done = ask("user=refused", "--max-wait", "50s"):wait()
    done:writes(1, "28000: pg_hba.conf rejects connection")
  end)

  it("fails at once where another service answers", function()
    local other = Server.start(nil, { raw = function(peer) peer:write "HTTP/1.1 400 Bad Request\r\n" end })
    local done = start("host=127.0.0.1", "port=" .. other.port, "--max-wait", "50s"):wait()
    other:close()
    done:writes(3, "InvalidAnswer: this is not the protocol of PostgreSQL")
  end)

  it("takes its address as people write it", function()
    local function answer(...)
      return workspace:bide({ "postgres", "--max-wait", "10s", "--output", "json", "--quiet", ... })
    end
    local at = "127.0.0.1:" .. server.port
    assert.matches('"answer": "ready"', answer(at).stdout)
    local whole = ("postgres://guarded:open%%20sesame@%s/postgres?application_name=bide"):format(at)
    assert.matches('"answer": "ready"', answer(whole).stdout)
    assert.matches('"answer": "passwordWanted"', answer(("postgresql://guarded@%s/postgres"):format(at)).stdout)
    assert.matches('"answer": "ready"', answer(("url=postgres://guarded@%s/postgres"):format(at), "password=open sesame").stdout)
    assert.matches("3D000", answer(("postgres://guarded:open%%20sesame@%s/nothing"):format(at)).stdout)
    local wrong = answer(("postgres://guarded:closed-sesame@%s/postgres"):format(at), "--events", "-")
    assert.matches("28P01", wrong.stdout)
    assert.is_nil((wrong.stdout .. wrong.stderr):find("closed", 1, true))
    assert.equal(2, answer("mysql://db").code)
  end)

  describe("over TLS", function()
    local elsewhere = Workspace.of_block()

    setup(function()
      certificates(elsewhere)
      for _, file in ipairs { "server.pem", "server.key", "ca.pem" } do workspace:write("data/" .. file, elsewhere:read(file)) end
      assert.equal(0, process.run({ "sh", "-c", "chmod 600 data/server.key && chown --reference=data data/server.key" },
        { cwd = workspace.path, tool = true }).code)
      server:stop()
      server:start("ssl=on", "ssl_cert_file=server.pem", "ssl_key_file=server.key", "ssl_ca_file=ca.pem", "log_connections=on")
      assert.equal(0, ask("--max-wait", "40s"):wait().code)
    end)

    teardown(function()
      server:stop()
      server:start()
      assert.equal(0, ask("--max-wait", "40s"):wait().code)
    end)

    local function answer(parameters, ...)
      return elsewhere:bide({ "postgres", ("postgres://localhost:%d/?%s"):format(server.port, parameters), "--max-wait", "10s",
        "--output", "json", ... })
    end

    ---Asserts that the server logged the last connection as one over TLS, or not.
    local function assert_encrypted(is_encrypted)
      local last = server.service.process.stderr:match ".*(connection authorized:[^\n]*)"
      assert.equal(is_encrypted, last:find("SSL enabled", 1, true) ~= nil, last)
    end

    it("uses TLS by the modes of libpq", function()
      for mode, is_encrypted in pairs { disable = false, prefer = true, require = true } do
        assert.matches('"answer": "ready"', answer("sslmode=" .. mode).stdout)
        assert_encrypted(is_encrypted)
      end
      assert.matches('"answer": "ready"', answer("").stdout)
      assert_encrypted(true)
      for _, parameters in ipairs { "sslmode=verify-full", "sslmode=verify-ca", "sslmode=require&sslrootcert=client.pem" } do
        local done = answer(parameters)
        assert.equal(3, done.code)
        assert.matches("TlsFailure: no TLS connection with localhost:%d+ .*has no authority that is trusted", done.stderr)
      end
      for _, mode in ipairs { "verify-full", "verify-ca", "require" } do
        assert.matches('"answer": "ready"', answer("sslrootcert=ca.pem&sslmode=" .. mode).stdout)
      end
      assert.equal(0, answer("", "ca=ca.pem").code)
      assert.equal(3, answer("", "ca=ca.pem", "server_name=elsewhere").code)
      assert.equal(0, answer("", "ca=ca.pem", "server_name=elsewhere", "sslmode=verify-ca").code)
      assert.equal(0, answer("sslmode=verify-full", "insecure=true").code)
    end)

    it("binds the proof of a password to the connection", function()
      local secret = { "user=guarded", "password=open sesame", "database=postgres" }
      assert.matches('"answer": "ready"', answer("sslmode=require", table.unpack(secret)).stdout)
      assert.matches('"answer": "ready"', answer("sslmode=disable", table.unpack(secret)).stdout)
      secret[2] = "password=sesame"
      assert.matches("28P01", answer("sslmode=require", table.unpack(secret)).stdout)
    end)

    it("shows a certificate of the client", function()
      finally(function() workspace:write("data/pg_hba.conf", rules) end)
      workspace:write("data/pg_hba.conf", "hostssl all all 127.0.0.1/32 cert\n")
      server:stop()
      server:start("ssl=on", "ssl_cert_file=server.pem", "ssl_key_file=server.key", "ssl_ca_file=ca.pem")
      local done = answer("sslmode=require", "user=client", "--tolerate", "5s")
      assert.matches("28000: connection requires a valid client certificate", done.stdout .. done.stderr)
      done = answer("sslmode=verify-full&sslrootcert=ca.pem&sslcert=client.pem&sslkey=client.key", "user=client",
        "database=postgres")
      assert.matches('28000: role \\"client\\" does not exist', done.stdout .. done.stderr)
      done = answer("sslmode=disable", "user=client")
      assert.matches("28000: no pg_hba.conf entry .*no encryption", done.stdout .. done.stderr)
    end)

    it("refuses mistakes before it asks", function()
      assert.matches('sslmode: expected "disable", "prefer", .*, found "verify%-all"', answer("sslmode=verify-all").stderr)
      assert.matches("ca: nowhere.pem: no such file", answer("", "ca=nowhere.pem").stderr)
      assert.equal(2, answer("sslkey=client.key").code)
    end)
  end)

  describe("with a query", function()
    local function query(waiter, ...)
      return start(waiter, "postgres://127.0.0.1:" .. server.port, ...)
    end

    it("waits for a row, and for the table that it will be in", function()
      local started = query("RowFound", "query=SELECT id, state FROM jobs WHERE state = 'done'", "--max-wait", "20s",
        "--output", "json")
      started:wait_for_output "42P01"
      server:query "CREATE TABLE jobs (id INT, state TEXT)"
      started:wait_for_output "rows"
      server:query "INSERT INTO jobs VALUES (7, 'done')"
      started:wait():prints(0, '"state": "done"', '"id": "7"')
      assert.equal(124, query("RowGone", "SELECT 1 FROM jobs WHERE id = 7", "--max-wait", "0.3s"):wait().code)
      assert.equal(0, query("RowGone", "SELECT 1 FROM jobs WHERE id = 8", "--max-wait", "10s"):wait().code)
    end)

    it("takes the one value of a query that always gives a row for an answer", function()
      server:query "CREATE TABLE parts (id INT)"
      local empty = { f = "EXISTS (SELECT 1 FROM parts)", ["0"] = "count(*) FROM parts", NULL = "max(id) FROM parts" }
      for value, select in pairs(empty) do
        for _, waiter in ipairs { "RowFound", "RowGone" } do
          local done = query(waiter, "SELECT " .. select, "--max-wait", "0.3s"):wait()
          done:says(124, "UnexpectedValue: the one value is " .. value .. ", as EXISTS")
        end
        assert.equal(0, query("RowFound", "SELECT 1, " .. select, "--max-wait", "10s"):wait().code)
      end
      local count = "SELECT count(*) FROM parts"
      assert.equal(0, query("RowFound", count, "--until", "row.count=0", "--max-wait", "10s"):wait().code)
      query("RowFound", count, "--fail", "row.count=0", "--max-wait", "10s"):wait():says(1, 'row.count is "0"')
      query("RowFound", count, "--fail", "row.count=1", "--max-wait", "0.3s"):wait()
        :says(124, "not believed: UnexpectedValue: the one value is 0, as EXISTS")
      query("RowGone", count, "--fail", "row.count=1", "--max-attempts", "2", "--max-wait", "50s"):wait()
        :says(4, "rows == `0` is false", "the one value is 0, as EXISTS")
      server:query "INSERT INTO parts VALUES (0), (1)"
      for _, select in ipairs { "EXISTS (SELECT 1 FROM parts)", "count(*) FROM parts", "id FROM parts" } do
        assert.equal(0, query("RowFound", "SELECT " .. select, "--max-wait", "10s"):wait().code)
      end
    end)

    it("fails at once where the query, or the user, cannot become right", function()
      local done = query("RowFound", "SELECT FROM WHERE", "--max-wait", "50s"):wait()
      done:writes(1, "42601: syntax error")
      done = query("RowFound", "SELECT 1", "user=guarded", "--max-wait", "50s"):wait()
      done:writes(1, "28P01: the server requires a password")
      assert.equal(0, query("RowFound", "SELECT 1", "user=guarded", "password=open sesame", "database=postgres",
        "--max-wait", "50s"):wait().code)
      done = query("RowFound", "COPY pg_database TO STDOUT", "--max-wait", "50s"):wait()
      assert.equal(3, done.code)
    end)
  end)

  it("fails where a server without TLS is expected to have it", function()
    ask("sslmode=require", "--max-wait", "50s"):wait():writes(3, "TlsFailure: sslmode=require, but the server has no TLS")
  end)

  it("names an input that is mistyped or missing, or of a wrong type", function()
    assert.matches("url: expected .*, found nothing", start("--max-wait", "50s"):wait().stderr)
    assert.matches('unknown input "databse", did you mean "database"%?', ask("databse=x", "--max-wait", "50s"):wait().stderr)
    assert.matches("user: expected a string, found 5", ask("user:=5", "--max-wait", "50s"):wait().stderr)
  end)

  it("replays", function()
    workspace:write("answers.jsonl", [[
{"error": {"type": "ConnectionRefused"}}
{"error": {"type": "57P03", "message": "the database system is starting up"}}
{"error": {"type": "3D000", "message": "database \"shop\" does not exist"}}
]])
    local outcome = workspace:outcome { "replay", "postgres", "PostgresReady", "answers.jsonl", "--max-wait", "10m" }
    assert.same({ "failure", "acceptor", 3 }, { outcome.state, outcome.reason, outcome.attempts })
  end)
end)
