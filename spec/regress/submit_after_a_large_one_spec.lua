---A submission of millions of waits, whether it was committed or not, left a table of 2 GB without rows, which each later one of
---anybody read five times: 9 s in place of 0.1 s.

local Cluster = require "spec.support.store_cluster"
local core = require "bide.core"

local cluster = Cluster.installed()
if not cluster then return end

describe("a submission after a large one", function()
  it("does not read the pages that it has left", function()
    cluster:sql("ada", [[BEGIN; INSERT INTO bide.staging (position, definition, max_wait, input)
      SELECT i, 1, 600000000, '{}' FROM generate_series(1, 300000) i; ROLLBACK]])
    for _, command in ipairs { "ANALYZE bide.staging", "VACUUM bide.staging" } do
      cluster:admin(command)
      local text = cluster:sql("ada", (cluster.submission { waits = 20 }
        :gsub("SELECT run, created", "EXPLAIN (ANALYZE, BUFFERS, TIMING OFF, FORMAT JSON) SELECT run, created")))
      local plan = core.json.decode(text:match "%b[]")[1].Plan
      local pages = math.tointeger(cluster:admin("SELECT pg_relation_size('bide.staging') / 8192"))
      assert.is_true(pages > 4000)
      local read = plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
      assert.is_true(read < pages, ("%d pages read, of %d"):format(read, pages))
    end
  end)
end)
