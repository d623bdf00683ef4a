---`bide workers` ended with 0, and `bide store check` found nothing, where the only worker of a queue had set waits aside that
---it refuses, and was gone: they were not counted as due.

local Cluster = require "spec.support.store_cluster"
local Workspace = require "spec.support.workspace"
local administration = require "bide.record.store.postgres.administration"

local cluster = Cluster.installed()
if not cluster then return end

local workspace = Workspace.of_each()

it("counts waits that were set aside as due", function()
  cluster:submit { waits = 3 }
  cluster:admin("UPDATE bide.turn SET due = due - 100000000")
  local me = cluster:enter()
  cluster:sql("wim", ("SELECT bide.refuse(%s, (%s))"):format(me,
    cluster:admin("SELECT min(bundle) FROM bide.turn")))
  assert.equal("3", cluster:sql("wim", ("SELECT bide.set_aside(%s, 1, 2::smallint)"):format(me)))
  cluster:sql("wim", ("SELECT bide.leave(%s)"):format(me))
  local done = workspace:bide { "workers", "--store", cluster:url "ada" }
  local last = administration.checks[#administration.checks]
  local found = cluster:admin(last.sql)
  done:says(1, "no worker serves the queue default, which has 3 waits that are due")
  assert.equal("default", found)
end)
