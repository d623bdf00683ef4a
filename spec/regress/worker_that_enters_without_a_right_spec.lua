---A worker that had lost its right on one of several queues continued with the others, until its lease was over: it was not let
---in again for any queue. One that enters again needs a right on one of its queues, and serves the others once it has theirs.

local Cluster = require "spec.support.store_cluster"
local Workspace = require "spec.support.workspace"

local cluster, missing = Cluster.start()

describe("a worker that enters again without a right on one of its queues", function()
  if not cluster then return pending(missing) end

  local workspace = Workspace.of_each()

  teardown(function() cluster:stop() end)

  local function url(role) return ("postgres://%s@127.0.0.1:%d/postgres"):format(role, cluster.port) end

  it("serves the others, and that one once it may", function()
    cluster:install()
    cluster:sql("postgres", [[INSERT INTO bide.queue (name) VALUES ('more');
      INSERT INTO bide.queue_grant (role, queue, may_work, may_submit)
        SELECT r.role, q.id, r.role = 'wim', r.role = 'ada' FROM bide.queue q, (VALUES ('wim'), ('ada')) r(role)
        WHERE q.name = 'more']])
    workspace:write("slow.lua", [[
      local seen = { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "y" } } }
      return { Look = { call = function() return { state = "x" } end,
        waitable = { Seen = { minDelay = 0.1, maxDelay = 0.1, acceptors = { seen } } } } }]])
    for _, queue in ipairs { "default", "more" } do
      local done = workspace:bide { "submit", "slow.lua", "--max-wait=90s", "--queue", queue, "--store", url "ada" }
      assert.equal(0, done.code, done.stderr)
    end
    local worker = workspace:start { "worker", "--queue=more", "--queue=default", "--store", url "wim" }
    worker:hold_loop(false)
    local function attempts(queue)
      return tonumber(cluster:sql("postgres", ("SELECT t.attempts FROM bide.turn t JOIN bide.queue q ON q.id = t.queue "
        .. "WHERE q.name = '%s'"):format(queue)))
    end
    local function await_attempts(queue)
      local least = attempts(queue) + 3
      while attempts(queue) < least do assert.is_nil(worker.code, worker.stderr) end
    end
    local expire = "DELETE FROM bide.worker; UPDATE bide.turn SET worker = NULL, due = 0 WHERE worker IS NOT NULL;"
    await_attempts "more"
    for _, statement in ipairs { "UPDATE bide.queue_grant SET may_work = false", "DELETE FROM bide.queue_grant" } do
      cluster:sql("postgres", ("%s WHERE role = 'wim' AND queue <> 1; %s"):format(statement, expire))
      await_attempts "default"
      assert.matches("warning: the role [wim ]*may not work in the queue more; the other queues are served", worker.stderr)
      cluster:sql("postgres", [[INSERT INTO bide.queue_grant (role, queue, may_work)
        SELECT 'wim', id, true FROM bide.queue WHERE name = 'more' ON CONFLICT (role, queue) DO UPDATE SET may_work = true]])
      await_attempts "more"
    end
    assert.equal("2", cluster:sql("postgres", "SELECT cardinality(queues) FROM bide.worker"))
    assert.is_nil(worker.stderr:find "sleep on", worker.stderr)
    worker:kill "sigterm"
    assert.equal(0, worker:wait().code)
  end)
end)
