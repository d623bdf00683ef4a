local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local postgres = require "spec.support.postgres"

local rules = [[
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
    workspace = Workspace.make()
    server = postgres.new(programs, workspace, rules)
    local started = ask("--max-wait", "40s", "--output", "json")
    started:wait_for_output "ConnectionRefused"
    server:start()
    assert.equal(0, started:wait().code, started.stderr)
    assert.matches('"waiter": "PostgresReady"', started.stdout)
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
    local done = ask("--max-wait", "40s"):wait()
    assert.equal(0, done.code, done.stderr)
    assert.matches("57P03: the database system is starting up", done.stderr)
  end)

  it("waits while all connections are taken", function()
    server:stop()
    server:start("max_connections=1", "superuser_reserved_connections=0", "max_wal_senders=0")
    assert.equal(0, ask("--max-wait", "8s"):wait().code, server.service.process.stderr)
    local connection = server:hold()
    local started = ask("--max-wait", "40s")
    started:wait_for_output "53300: sorry, too many clients already"
    connection:close()
    assert.equal(0, started:wait().code, started.stderr)
    server:stop()
    server:start()
    assert.equal(0, ask("--max-wait", "40s"):wait().code)
  end)

  it("needs no password", function()
    local done = ask("user=guarded", "--max-wait", "10s", "--output", "json"):wait()
    assert.equal(0, done.code, done.stderr)
    assert.matches('"answer": "passwordWanted"', done.stdout)
  end)

  it("shows a password, and fails where it is wrong or not enough", function()
    local done = ask("user=guarded", "password=open sesame", "database=postgres", "--max-wait", "10s", "--output", "json"):wait()
    assert.equal(0, done.code, done.stderr)
    assert.matches('"answer": "ready"', done.stdout)
    assert.not_matches("sesame", done.stdout)
    done = ask("user=guarded", "password=sesame", "database=postgres", "--max-wait", "10s"):wait()
    assert.equal(1, done.code)
    assert.matches('28P01: password authentication failed for user "guarded"', done.stdout)
    done = ask("user=guarded", "password=open sesame", "database=shop", "--max-wait", "10s"):wait()
    assert.equal(1, done.code)
    assert.matches('3D000: database "shop" does not exist', done.stdout)
    done = ask("user=old", "password=x", "--max-wait", "10s"):wait()
    assert.equal(3, done.code)
    assert.matches("UnknownAuthentication: the server requires another proof than SCRAM%-SHA%-256", done.stdout)
  end)

  it("fails where there is no such database or role, or the server refuses the role", function()
    local done = ask("database=shop", "--max-wait", "10s"):wait()
    assert.equal(1, done.code)
    assert.matches('3D000: database "shop" does not exist', done.stdout)
    done = ask("user=nobody", "--max-wait", "10s"):wait()
    assert.equal(1, done.code)
    assert.matches('28000: role "nobody" does not exist', done.stdout)
    done = ask("user=refused", "--max-wait", "10s"):wait()
    assert.equal(1, done.code)
    assert.matches("28000: pg_hba.conf rejects connection", done.stdout)
  end)

  it("fails at once where another service answers", function()
    local other = Server.start(nil, { raw = function(peer) peer:write "HTTP/1.1 400 Bad Request\r\n" end })
    local done = start("host=127.0.0.1", "port=" .. other.port, "--max-wait", "10s"):wait()
    other:close()
    assert.equal(3, done.code)
    assert.matches("InvalidAnswer: this is not the protocol of PostgreSQL", done.stdout)
  end)

  it("takes its address as people write it", function()
    local function answer(...)
      return workspace:bide({ "postgres", "--max-wait", "10s", "--output", "json", "--quiet", ... })
    end
    local at = "127.0.0.1:" .. server.port
    assert.matches('"answer": "ready"', answer(at).stdout)
    assert.matches('"answer": "ready"', answer(("postgres://guarded:open%%20sesame@%s/postgres?x=y"):format(at)).stdout)
    assert.matches('"answer": "passwordWanted"', answer(("postgresql://guarded@%s/postgres"):format(at)).stdout)
    assert.matches('"answer": "ready"', answer(("url=postgres://guarded@%s/postgres"):format(at), "password=open sesame").stdout)
    assert.matches("3D000", answer(("postgres://guarded:open%%20sesame@%s/nothing"):format(at)).stdout)
    local wrong = answer(("postgres://guarded:closed-sesame@%s/postgres"):format(at), "--events", "-")
    assert.matches("28P01", wrong.stdout)
    assert.is_nil((wrong.stdout .. wrong.stderr):find("closed", 1, true))
    assert.equal(2, answer("mysql://db").code)
  end)

  it("names an input that is mistyped or missing, or of a wrong type", function()
    assert.matches("url: expected .*, found nothing", start("--max-wait", "1s"):wait().stderr)
    assert.matches('unknown input "databse", did you mean "database"%?', ask("databse=x", "--max-wait", "1s"):wait().stderr)
    assert.matches("user: expected a string, found 5", ask("user:=5", "--max-wait", "1s"):wait().stderr)
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
