---A worker whose role may not work in its queue tried for ever, although nobody would let it in; and the line to run that it
---named took all rights away. It ends with exit code 2 at its start. One that was let in continues, as if the store were away;
---one of several queues does not keep the others waiting. One whose lease was over meanwhile was let in again for no queue: it
---serves those of which it has the right now, and another one once it has that right, too.

local Cluster = require "spec.support.store_cluster"
local Workspace = require "spec.support.workspace"

local cluster = Cluster.installed()
if not cluster then return end

describe("a worker without a right on its queue", function()
  local workspace = Workspace.of_each()

  it("ends with 2 and the line to run", function()
    for role, queue in pairs { ada = "QUEUE", wim = "nowhere" } do
      local done = workspace:bide { "worker", "--quiet", "--store", cluster:url(role), "--queue", "nowhere" }
      assert.same({ 2, "" }, { done.code, done.stdout }, done.stderr)
      local said = role == "ada" and "permission denied for function enter" or "the role wim may not work in the queue nowhere"
      assert.equal(("bide: %s (run, as an administrator: bide store grant %s --queue %s --submit --work --store URL)\n"):format(
        said, role, queue), done.stderr)
    end
  end)

  it("goes on if it had one at its start", function()
    local worker = workspace:start { "worker", "--quiet", "--store", cluster:url "pia" }
    worker:hold_loop(false)
    local function entered() return cluster:admin("SELECT count(*) FROM bide.worker") end
    while entered() == "0" do assert.is_nil(worker.code, worker.stderr) end
    cluster:admin("UPDATE bide.queue_grant SET may_work = false WHERE role = 'pia'; DELETE FROM bide.worker")
    while not worker.stderr:find "may not work" do entered() end
    assert.is_nil(worker.code)
    cluster:admin("UPDATE bide.queue_grant SET may_work = true WHERE role = 'pia'")
    while entered() == "0" do assert.is_nil(worker.code, worker.stderr) end
    worker:kill "sigterm"
    assert.equal(0, worker:wait().code)
  end)

  ---@class spec.WorkerOfTwo
  ---@field worker table of the queues `more` and `default`, in each of which a wait sleeps
  ---@field attempts fun(queue: string): integer
  ---@field await fun(queue: string, more: integer) waits until so many more attempts were made

  ---@return spec.WorkerOfTwo
  local function start_with_two()
    cluster:empty()
    cluster:admin([[DELETE FROM bide.queue_grant WHERE queue <> 1;
      INSERT INTO bide.queue (name) VALUES ('more') ON CONFLICT DO NOTHING;
      INSERT INTO bide.queue_grant (role, queue, may_work, may_submit)
        SELECT r.role, q.id, r.role = 'wim', r.role = 'ada' FROM bide.queue q, (VALUES ('wim'), ('ada')) r(role)
        WHERE q.name = 'more']])
    workspace:write("slow.lua", [[
      local seen = { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "y" } } }
      return { Look = { call = function() return { state = "x" } end,
        waitable = { Seen = { minDelay = 0.1, maxDelay = 0.1, acceptors = { seen } } } } }]])
    for _, queue in ipairs { "default", "more" } do
      workspace:bide({ "submit", "slow.lua", "--max-wait=90s", "--queue", queue, "--store", cluster:url "ada" }):ends(0)
    end
    local worker = workspace:start { "worker", "--queue=more", "--queue=default", "--store", cluster:url "wim" }
    worker:hold_loop(false)
    local function attempts(queue)
      return tonumber(cluster:admin(("SELECT t.attempts FROM bide.turn t JOIN bide.queue q ON q.id = t.queue "
        .. "WHERE q.name = '%s'"):format(queue)))
    end
    local function await(queue, more)
      local least = attempts(queue) + more
      while attempts(queue) < least do assert.is_nil(worker.code, worker.stderr) end
    end
    return { worker = worker, attempts = attempts, await = await }
  end

  local function assert_ends_well(worker)
    assert.is_nil(worker.stderr:find "sleep on", worker.stderr)
    worker:kill "sigterm"
    assert.equal(0, worker:wait().code)
  end

  it("serves its other queues", function()
    local two = start_with_two()
    local function let(may)
      cluster:admin(("UPDATE bide.queue_grant SET may_work = %s WHERE role = 'wim' AND queue <> 1"):format(may))
    end
    two.await("more", 1)
    let(false)
    while not two.worker.stderr:find "may not work in the queue more" do two.attempts "more" end
    two.await("default", 20)
    let(true)
    while not two.worker.stderr:find "the queue more is served again" do two.attempts "more" end
    two.await("more", 2)
    assert_ends_well(two.worker)
  end)

  it("serves its other queues when it enters again, and that one once it may", function()
    local two = start_with_two()
    local expire = "DELETE FROM bide.worker; UPDATE bide.turn SET worker = NULL, due = 0 WHERE worker IS NOT NULL;"
    two.await("more", 3)
    for _, statement in ipairs { "UPDATE bide.queue_grant SET may_work = false", "DELETE FROM bide.queue_grant" } do
      cluster:admin(("%s WHERE role = 'wim' AND queue <> 1; %s"):format(statement, expire))
      two.await("default", 3)
      assert.matches("warning: the role [wim ]*may not work in the queue more; the other queues are served", two.worker.stderr)
      cluster:admin([[INSERT INTO bide.queue_grant (role, queue, may_work)
        SELECT 'wim', id, true FROM bide.queue WHERE name = 'more' ON CONFLICT (role, queue) DO UPDATE SET may_work = true]])
      two.await("more", 3)
    end
    assert.equal("2", cluster:admin("SELECT cardinality(queues) FROM bide.worker"))
    assert_ends_well(two.worker)
  end)
end)
