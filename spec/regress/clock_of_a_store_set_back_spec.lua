---After the clock of the server was set back by an hour, or leases were shortened, the waits of a worker that was killed stayed
---claimed for that hour, no worker asked a host that had been asked before, and a role with a quota submitted nothing.

local Cluster = require "spec.support.store_cluster"

local cluster = Cluster.installed()
if not cluster then return end

describe("a store whose clock was set back by an hour", function()
  local HOUR = 3600 * 1000000

  before_each(function() cluster:empty() end)

  it("gives dead workers no longer lease than living ones", function()
    cluster:submit()
    local dead, living = cluster:enter(), cluster:enter()
    assert.equal(1, #cluster:claim(dead))
    cluster:admin("UPDATE bide.worker SET lease = lease + " .. HOUR)
    assert.equal("0|0", cluster:sql("wim", "SELECT * FROM bide.reap(false)"))
    assert.equal("2",
      cluster:admin "SELECT count(*) FROM bide.worker WHERE lease BETWEEN bide.clock() AND bide.clock() + 10000000")
    cluster:admin(("UPDATE bide.worker SET lease = lease - 10000000 WHERE id = %s"):format(dead))
    assert.equal("t", cluster:sql("wim", ("SELECT matches FROM bide.beat(%s, 0, 0)"):format(living)))
    assert.equal("1|1", cluster:sql("wim", "SELECT * FROM bide.reap(false)"))
  end)

  it("lets hosts be asked", function()
    local me = cluster:enter()
    local reserve = ("SELECT granted FROM bide.reserve(%s, 1, 'http://a:80', %%d, 1, 1)"):format(me)
    assert.equal("1", cluster:sql("wim", reserve:format(500000)))
    cluster:admin("UPDATE bide.pace SET free = free + " .. HOUR)
    cluster:sql("wim", reserve:format(500000))
    assert.equal("t", cluster:admin "SELECT free <= bide.clock() + 1500000 FROM bide.pace")
  end)

  it("counts no runs of times to come", function()
    cluster:admin "UPDATE bide.queue_grant SET submits_a_minute = 1 WHERE role = 'ada'"
    cluster:submit()
    assert.equal("BD003", (cluster:failure("ada", cluster.submission())))
    cluster:admin("UPDATE bide.run SET began = began + " .. HOUR)
    cluster:submit()
    cluster:admin "UPDATE bide.queue_grant SET submits_a_minute = NULL WHERE role = 'ada'"
  end)
end)
