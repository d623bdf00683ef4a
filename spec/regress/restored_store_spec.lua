---A store that was restored from a dump gave numbers of runs again that had been given since, so that a watch of one of them
---reported another run; and rows that a client had left in `staging` could come into a run of the restored server. A queue that
---was removed took its runs with it: nobody could see, end or cancel them. A watch whose run is gone says so, with 70.

local Cluster = require "spec.support.store_cluster"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local luv = require "luv"
local process = require "spec.support.process"
local service = require "spec.support.service"

local cluster = Cluster.installed()
if not cluster then return end

describe("a store that is put back", function()
  local workspace = Workspace.of_block()
  local dump

  local server = Server.of_block(function() return {} end)
  setup(function()
    dump = assert(service.find("pg_dump", "postgresql-client", "/usr/lib/postgresql/*/bin"))
  end)

  local function submit()
    local done = workspace:bide { "submit", "http", server.url, "--max-wait", "60s", "--store", cluster:url "ada" }
    assert.equal(0, done.code, done.stderr)
    return math.tointeger(tonumber(done.stdout))
  end

  ---The newest server that this pg_dump reads is that of its own version.
  local function dumps_it()
    local version = process.run({ dump, "--version" }, { tool = true }).stdout:match "(%d+)%."
    return tonumber(version) >= tonumber(cluster:admin "SHOW server_version_num") // 10000
  end

  it("gives no number twice, and its workers continue", function()
    if not dumps_it() then return pending "pg_dump is older than the server" end
    local first = submit()
    local worker = workspace:start({ "worker", "--store", cluster:url "wim", "--allow-net", "127.0.0.0/8", "--quiet" })
    worker:hold_loop(false)
    local watch = { "watch", tostring(first), "--store", cluster:url "ada", "--quiet" }
    assert.equal(0, workspace:bide(watch).code)
    cluster:sql("ada", "INSERT INTO bide.staging (position, definition, max_wait, input) VALUES (1, 1, 1, '{}')")
    local made = process.run({ dump, "-h", "127.0.0.1", "-p", tostring(cluster.port), "-U", "postgres", "-n", "bide",
      "postgres" }, { tool = true, cwd = "/" })
    assert.equal(0, made.code, made.stderr)
    local lost = submit()
    assert.equal(first + 1, lost)
    local watcher = workspace:start({ "watch", tostring(submit()), "--store", cluster:url "ada" })
    assert.equal(0, watcher:wait().code, watcher.stderr)
    cluster:close_sessions()
    cluster:admin "DROP SCHEMA bide CASCADE"
    process.run(cluster:client "postgres", { tool = true, stdin = made.stdout, cwd = "/" }):ends(0)
    local again = submit()
    assert.is_true(again > lost + (1 << 24))
    assert.equal("0", cluster:admin "SELECT count(*) FROM bide.staging")
    assert.equal(2, workspace:bide({ "watch", tostring(lost), "--store", cluster:url "ada" }).code)
    local done = workspace:bide { "watch", tostring(again), "--store", cluster:url "ada", "--quiet" }
    assert.same({ 0, "" }, { done.code, done.stderr })
    assert.equal(0, workspace:bide(watch).code)
    assert.is_true(submit() < again + 10)
    worker:kill "sigterm"
    assert.equal(0, worker:wait().code)
  end)

  it("keeps a queue that has runs", function()
    cluster:admin [[INSERT INTO bide.queue (name) VALUES ('more');
      INSERT INTO bide.queue_grant SELECT 'ada', id, true FROM bide.queue WHERE name = 'more']]
    local run = cluster:submit { queue = "more" }
    assert.equal("23503", (cluster:failure("postgres", "DELETE FROM bide.queue WHERE name = 'more'")))
    cluster:admin "UPDATE bide.queue SET name = 'renamed' WHERE name = 'more'"
    assert.equal("renamed", cluster:sql("ada", "SELECT queue FROM bide.runs WHERE id = " .. run))
    assert.equal("cancelled", cluster:sql("ada", ("SELECT bide.cancel(%s); SELECT bide.clear(%s)"):format(run, run)):match "^%a+")
    assert.equal(0, workspace:bide({ "jobs", "prune", run, "--store", cluster:url "ada" }).code)
    cluster:admin "DELETE FROM bide.queue WHERE name = 'renamed'"
  end)

  it("says of a watched run that it is gone", function()
    local run = tostring(submit())
    local watcher = workspace:start({ "watch", run, "--store", cluster:url "ada" })
    watcher:hold_loop(false)
    local followed = "SELECT count(*) FROM pg_stat_activity WHERE usename = 'ada' AND state = 'idle' "
      .. "AND query LIKE '%bide.waits%'"
    while cluster:admin(followed) == "0" do luv.sleep(20) end
    cluster:admin("DELETE FROM bide.run WHERE id = " .. run)
    watcher:wait()
    assert.same({ 70, "" }, { watcher.code, watcher.stdout }, watcher.stderr)
    assert.matches(("run %s is gone: it was pruned, or the store was put back to an earlier time\n"):format(run), watcher.stderr,
      1, true)
  end)
end)
