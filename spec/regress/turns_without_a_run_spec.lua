---Five hundred turns at the head of a lane whose run, or wait, was deleted by hand were read by each claim, which could take none
---of them, nor any turn behind them; those over their deadline kept others from being ended. A number of attempts below 0 was
---written into the end of its wait.

local Cluster = require "spec.support.store_cluster"
local Workspace = require "spec.support.workspace"

local cluster = Cluster.installed()
if not cluster then return end

describe("turns without a run", function()
  before_each(function() cluster:empty() end)

  ---Submits 600 waits and deletes rows of them.
  local function submit_and_delete(from)
    local run = cluster:submit { waits = 600 }
    cluster:admin(("DELETE FROM bide.%s WHERE %s = %s"):format(from, from == "run" and "id" or "run", run))
  end

  for _, from in ipairs { "run", "wait" } do
    it("do not keep others from workers: no row of bide." .. from, function()
      submit_and_delete(from)
      cluster:admin "UPDATE bide.turn SET due = due - 3600000000"
      cluster:submit { waits = 3 }
      local me, claimed = cluster:enter(), {}
      for _ = 1, 3 do table.move(cluster:claim(me), 1, 500, #claimed + 1, claimed) end
      assert.equal(3, #claimed)
      assert.equal("3", cluster:admin "SELECT count(*) FROM bide.turn")
    end)
  end

  it("do not keep others from being ended", function()
    submit_and_delete "run"
    cluster:admin "UPDATE bide.turn SET due = 1, deadline = 1, lane = 6"
    local run = cluster:submit {}
    cluster:admin([[UPDATE bide.turn SET due = 2, deadline = 2, lane = 6
      WHERE id = (SELECT id FROM bide.wait WHERE run = %s)]], run)
    for _ = 1, 3 do cluster:sql("wim", "SELECT bide.expire()") end
    assert.equal("failure|0",
      cluster:admin("SELECT outcome, (SELECT count(*) FROM bide.turn) FROM bide.run WHERE id = %s", run))
  end)

  it("are told from those that another worker has locked, and from claimed ones", function()
    cluster:submit { waits = 5 }
    local release = cluster:hold "SELECT FROM bide.turn FOR UPDATE"
    local me = cluster:enter()
    assert.same({}, cluster:claim(me))
    release()
    assert.equal("5", cluster:admin "SELECT count(*) FROM bide.turn")
    assert.equal(5, #cluster:claim(me))
    cluster:admin "DELETE FROM bide.run"
    assert.same({}, cluster:claim(me))
    assert.equal("5", cluster:admin "SELECT count(*) FROM bide.turn")
  end)

  it("end with a number of attempts that a wait can have", function()
    local workspace = Workspace.make()
    cluster:let_work "ada"
    local url = "--store=" .. cluster:url "ada"
    workspace:write("look.lua", [[
      local seen = { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "x" } } }
      return { Look = { call = function() return { state = "x" } end, waitable = { Seen = { acceptors = { seen } } } } }]])
    local run = workspace:bide { "submit", "look.lua", "--max-wait=20s", url }.stdout:match "%d+"
    cluster:admin "UPDATE bide.turn SET attempts = -3"
    local worker = workspace:start { "worker", "--quiet", url }
    local done = workspace:bide { "watch", run, "--quiet", url }
    worker:kill "sigterm"
    worker:wait()
    workspace:remove()
    assert.equal(5, done.code, done.stderr)
  end)
end)
