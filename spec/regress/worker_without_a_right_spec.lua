---A worker whose role may not work in its queue tried for ever, although nobody would let it in; and the line to run that it
---named took all rights away. It ends with exit code 2 at its start. One that was let in continues, as if the store were away;
---one of several queues does not keep the others waiting.

local Cluster = require "spec.support.store_cluster"
local Workspace = require "spec.support.workspace"

local cluster = Cluster.installed()
if not cluster then return end

describe("a worker without a right on its queue", function()
  local workspace = Workspace.of_each()

  it("ends with 2 and the line to run", function()
    for _, words in ipairs { { "ada" }, { "wim", "--queue", "nowhere" } } do
      local done = workspace:bide { "worker", "--quiet", "--store", cluster:url(table.remove(words, 1)), table.unpack(words) }
      assert.same({ 2, "" }, { done.code, done.stdout }, done.stderr)
      assert.matches("^bide: [^\n]+ %(run, as an administrator: bide store grant ROLE %-%-queue QUEUE %-%-submit "
        .. "%-%-work %-%-store URL%)\n$", done.stderr)
    end
  end)

  it("goes on if it had one at its start", function()
    local worker = workspace:start { "worker", "--quiet", "--store", cluster:url "pia" }
    worker:hold_loop(false)
    local function entered() return cluster:sql("postgres", "SELECT count(*) FROM bide.worker") end
    while entered() == "0" do assert.is_nil(worker.code, worker.stderr) end
    cluster:sql("postgres", "UPDATE bide.queue_grant SET may_work = false WHERE role = 'pia'; DELETE FROM bide.worker")
    while not worker.stderr:find "may not work" do entered() end
    assert.is_nil(worker.code)
    cluster:sql("postgres", "UPDATE bide.queue_grant SET may_work = true WHERE role = 'pia'")
    while entered() == "0" do assert.is_nil(worker.code, worker.stderr) end
    worker:kill "sigterm"
    assert.equal(0, worker:wait().code)
  end)

  it("serves its other queues", function()
    cluster:sql("postgres", [[INSERT INTO bide.queue (name) VALUES ('more');
      INSERT INTO bide.queue_grant (role, queue, may_work, may_submit)
        SELECT r.role, q.id, r.role = 'wim', r.role = 'ada' FROM bide.queue q, (VALUES ('wim'), ('ada')) r(role)
        WHERE q.name = 'more']])
    workspace:write("slow.lua", [[
      local seen = { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "y" } } }
      return { Look = { call = function() return { state = "x" } end,
        waitable = { Seen = { minDelay = 0.1, maxDelay = 0.1, acceptors = { seen } } } } }]])
    for _, queue in ipairs { "default", "more" } do
      local done = workspace:bide { "submit", "slow.lua", "--max-wait=90s", "--queue", queue, "--store", cluster:url "ada" }
      assert.equal(0, done.code, done.stderr)
    end
    local worker = workspace:start { "worker", "--queue=more", "--queue=default", "--store", cluster:url "wim" }
    worker:hold_loop(false)
    local function attempts(queue)
      return tonumber(cluster:sql("postgres", ("SELECT t.attempts FROM bide.turn t JOIN bide.queue q ON q.id = t.queue "
        .. "WHERE q.name = '%s'"):format(queue)))
    end
    local function await_attempts(queue, more)
      local least = attempts(queue) + more
      while attempts(queue) < least do assert.is_nil(worker.code, worker.stderr) end
    end
    local function let(may)
      cluster:sql("postgres", ("UPDATE bide.queue_grant SET may_work = %s WHERE role = 'wim' AND queue <> 1"):format(may))
    end
    await_attempts("more", 1)
    let(false)
    while not worker.stderr:find "may not work in the queue more" do attempts "more" end
    await_attempts("default", 20)
    let(true)
    while not worker.stderr:find "the queue more is served again" do attempts "more" end
    await_attempts("more", 2)
    assert.is_nil(worker.stderr:find "sleep on")
    worker:kill "sigterm"
    assert.equal(0, worker:wait().code)
  end)
end)
