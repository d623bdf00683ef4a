---A worker whose role may not work in its queue tried for ever, although nobody would let it in; and the line to run that it
---named took all rights away. It ends with exit code 2 at its start. One that was let in continues, as if the store were away.

local Cluster = require "spec.support.store_cluster"
local Workspace = require "spec.support.workspace"

local cluster, missing = Cluster.start()

describe("a worker without a right on its queue", function()
  if not cluster then return pending(missing) end

  local workspace

  setup(function() cluster:install() end)
  teardown(function() cluster:stop() end)
  before_each(function() workspace = Workspace.make() end)
  after_each(function() workspace:remove() end)

  local function url(role) return ("postgres://%s@127.0.0.1:%d/postgres"):format(role, cluster.port) end

  it("ends with 2 and the line to run", function()
    for _, words in ipairs { { "ada" }, { "wim", "--queue", "nowhere" } } do
      local done = workspace:bide { "worker", "--quiet", "--store", url(table.remove(words, 1)), table.unpack(words) }
      assert.same({ 2, "" }, { done.code, done.stdout }, done.stderr)
      assert.matches("^bide: [^\n]+ %(run, as an administrator: bide store grant ROLE %-%-queue QUEUE %-%-submit "
        .. "%-%-work %-%-store URL%)\n$", done.stderr)
    end
  end)

  it("goes on if it had one at its start", function()
    local worker = workspace:start { "worker", "--quiet", "--store", url "pia" }
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
end)
