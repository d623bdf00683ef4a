---A worker that was stopped while a `prepare` ran for long ended that wait: the signal had cancelled the prepare, and that was
---taken for a mistake of the recipe.

local Cluster = require "spec.support.store_cluster"
local Workspace = require "spec.support.workspace"
local json = require("bide.core").json

local cluster = Cluster.installed()
if not cluster then return end

describe("a worker that is stopped while it prepares a wait", function()
  local folder = Workspace.of_block()

  it("leaves the wait to another one", function()
    folder:write("slow.lua", [[
return { Op = {
  prepare = function()
    while not io do end -- in the sandbox alone: a wait is prepared when it is submitted, too
    return function() return {} end
  end,
  waitable = { Done = { acceptors = { { state = "success", matcher = { success = true } } } } },
} }]])
    local store = cluster:url "ada"
    local done = folder:bide { "submit", "slow.lua", "--max-wait", "1h", "--store", store }
    assert.equal(0, done.code, done.stderr)
    local worker = folder:start({ "worker", "--quiet", "--instructions", "1000000000000", "--store",
      cluster:url "wim" })
    worker:hold_loop(false)
    local claimed = "SELECT count(*) FROM bide.turn WHERE worker IS NOT NULL"
    while cluster:admin(claimed) ~= "1" do end
    os.execute "sleep 1"
    worker:kill "sigterm"
    done = worker:wait()
    assert.same({ 0, "" }, { done.code, done.stderr })
    done = folder:bide { "jobs", "show", "1", "--store", store }
    local run = json.decode(done.stdout)
    assert.same({ 1, 0 }, { run.open, run.failed }, done.stdout)
    assert.equal("0", cluster:admin(claimed))
  end)
end)
