---PgBouncer logs a user in by itself once it has been connected to a server, so that PostgreSQL was ready behind it while
---it was down: bide logged in, and sent no query. A statement that gives no rows was a query without rows for RowGone.

local Workspace = require "spec.support.workspace"
local free_port = require("spec.support.port").free
local postgres = require "spec.support.postgres"
local service = require "spec.support.service"

local configuration = [[
[databases]
* = host=127.0.0.1 port=%d user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = %d
unix_socket_dir =
auth_type = any
server_login_retry = 0.2
query_wait_timeout = 2
]]

describe("the recipe postgres, with PgBouncer", function()
  local programs, missing = postgres.find()
  if not programs then return pending(missing) end

  local workspace, server, at

  local function run(...)
    return workspace:bide { "run", "postgres", ... }
  end

  setup(function()
    workspace = Workspace.make_in_memory()
    server = postgres.new(programs, workspace, "host all all 127.0.0.1/32 trust\n")
    server:start()
    at = "postgres://postgres@127.0.0.1:" .. server.port
    assert.equal(0, run(at, "--max-wait", "40s").code)
  end)

  teardown(function()
    server:stop()
    workspace:remove()
  end)

  it("waits for the server, and not for the pooler", function()
    local program
    program, missing = service.find("pgbouncer", "pgbouncer")
    if not program then return pending(missing) end
    local port = free_port()
    local file = workspace:write("pgbouncer.ini", configuration:format(server.port, port))
    local pooler = service.start({ program, file }, { unprivileged = true })
    finally(function() pooler:stop() end)
    local behind = ("postgres://postgres@127.0.0.1:%d/postgres"):format(port)
    assert.equal(0, run(behind, "--max-wait", "20s").code)
    server:stop()
    local done = run(behind, "--max-wait", "3s", "timeout=1")
    assert.equal(124, done.code, done.stdout .. done.stderr)
    server:start()
    done = run(behind, "--max-wait", "20s")
    assert.equal(0, done.code, done.stdout .. done.stderr)
  end)

  it("is no place for statements that give no rows", function()
    for _, statement in ipairs { "CREATE TABLE made (x INT)", "SET client_min_messages = error", "SELECT 1 INTO made_too" } do
      for _, waiter in ipairs { "RowGone", "RowFound" } do
        local done = run(waiter, at, "query=" .. statement:gsub("made", "made_for_" .. waiter), "--max-wait", "50s")
        done:writes(3, "InvalidInput: expected a query that gives rows")
      end
    end
    assert.equal(0, run("RowGone", at, "query=SET client_min_messages = error; SELECT 1 WHERE false", "--max-wait", "50s").code)
  end)
end)
