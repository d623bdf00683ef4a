local MariaDb = require "spec.support.mariadb"
local Workspace = require "spec.support.workspace"
local certificates = require "spec.support.certificates"
local with_default = require "spec.support.with_default"

require "spec.support.proven"

describe("the recipe mysql, with MariaDB", function()
  local program, missing = MariaDb.find()
  if not program then return pending(missing) end

  local workspace, server

  local function start(...)
    return workspace:start { "run", "mysql", "port=" .. server.port, "--min-delay", "50ms", "--max-delay", "50ms", ... }
  end

  local function run(...) return start(with_default("--max-wait", "10s", ...)):wait() end

  local function query(...) return run("RowFound", "mysql://app@127.0.0.1/shop", "password=secret word", ...) end

  setup(function()
    workspace = Workspace.make_in_memory()
    server = MariaDb.new(program, workspace)
    certificates(workspace)
    local started = start("127.0.0.1", "--max-wait", "40s")
    started:wait_for_output "ConnectionRefused"
    os.execute("chmod 644 " .. workspace.path .. "/server.key")
    server:start("--ssl-cert=" .. workspace.path .. "/server.pem", "--ssl-key=" .. workspace.path .. "/server.key",
      "--ssl-ca=" .. workspace.path .. "/ca.pem")
    assert.equal(0, started:wait().code, started.stdout .. started.stderr)
  end)

  teardown(function()
    server:stop()
    workspace:remove()
  end)

  it("goes over the unix socket that the URL names", function()
    local url = "mysql://root@localhost/shop?socket=" .. workspace.path .. "/socket"
    local done = workspace:bide { "mysql", "RowFound", url, "password=root", "query=SELECT 1", "--max-wait", "10s" }
    assert.equal(0, done.code, done.stderr)
    done = workspace:bide { "mysql", "mysql://a@localhost/?socket=/tmp/no.sock", "--max-wait", "300ms" }
    done:says(124, "cannot connect to /tmp/no.sock: ENOENT")
    done = workspace:bide { "mysql", "mysql://a@db/?socket=/tmp/no.sock", "--max-wait", "300ms" }
    done:says(2, "url: socket: expected the host localhost, found db")
  end)

  it("takes a refused user without a password for ready, and says so", function()
    local done = run("127.0.0.1", "user=app", "--output", "json")
    done:writes(0, '"answer": "passwordWanted"')
    assert.matches('"version": "1%d%.%d+%.', done.stdout .. done.stderr)
  end)

  it("is not blocked by the server, however often it asks", function()
    for _ = 1, 12 do assert.equal(0, run("127.0.0.1", "--quiet").code) end
    assert.equal(0, run("127.0.0.1", "user=app", "password=secret word").code)
  end)

  it("logs in, and fails at once by a wrong password or database", function()
    assert.equal(0, run("mysql://app@127.0.0.1/shop", "password=secret word").code)
    local done = run("mysql://app@127.0.0.1/shop", "password=wrong")
    done:writes(1, "28000: Access denied for user 'app'")
    done = run("mysql://app@127.0.0.1/none", "password=secret word")
    assert.equal(1, done.code)
    assert.not_matches("secret word", done.stdout .. done.stderr, 1, true)
  end)

  it("speaks TLS, and verifies it", function()
    local ca = "ca=" .. workspace.path .. "/ca.pem"
    assert.equal(0, run("127.0.0.1", ca, "user=app", "password=secret word").code)
    assert.equal(0, run("127.0.0.1", "insecure=true", "user=app", "password=secret word").code)
    run("127.0.0.1", "tls=true", "user=app", "password=secret word"):writes(3, "TlsFailure")
  end)

  it("waits for a row, and for the table that it will be in", function()
    local started = workspace:start { "run", "mysql", "RowFound", "port=" .. server.port, "mysql://app@127.0.0.1/shop",
      "password=secret word", "query=SELECT id, state FROM jobs WHERE state = 'done'", "--min-delay", "50ms",
      "--max-delay", "50ms", "--max-wait", "20s", "--output", "json" }
    started:wait_for_output "42S02"
    assert.equal(0, query("query=SELECT 1").code)
    assert.equal(1, query("query=SELECT FROM").code)
    assert.equal(124, query("query=SELECT 1 FROM DUAL WHERE 1 = 0", "--max-wait", "0.3s").code)
    for value, select in pairs { ["0"] = "count(*) FROM DUAL WHERE 1 = 0", NULL = "NULL" } do
      query("query=SELECT " .. select, "--max-attempts", "2"):says(4, "UnexpectedValue: the one value is " .. value)
    end
    local count = "query=SELECT count(*) AS jobs FROM DUAL WHERE 1 = 0"
    query(count, "--fail", "row.jobs=0"):says(1, 'row.jobs is "0"')
    query(count, "--fail", "row.jobs=1", "--max-attempts", "2"):says(4, "not believed: UnexpectedValue: the one value is 0")
    run("RowGone", "mysql://app@127.0.0.1/shop", "password=secret word", count, "--fail", "row.jobs=1", "--max-attempts", "2")
      :says(4, "rows == `0` is false", "the one value is 0, as EXISTS")
    for _, statement in ipairs { "CREATE TABLE jobs (id INT, state VARCHAR(9))", "INSERT INTO jobs VALUES (7, 'done')" } do
      query("query=" .. statement):writes(3, "InvalidInput: expected a query that gives rows")
    end
    started:wait():prints(0, '"state": "done"', '"id": "7"')
    assert.equal(0, run("RowGone", "mysql://app@127.0.0.1/shop", "password=secret word",
      "query=SELECT 1 FROM jobs WHERE id = 8").code)
    for _, statement in ipairs { "SET @a = 1", "DO SLEEP(0)", "SELECT 1 INTO @a" } do
      assert.equal(3, run("RowGone", "mysql://app@127.0.0.1/shop", "password=secret word", "query=" .. statement).code)
    end
  end)
end)
