---The first large run of a new store was submitted in quadratic time: without statistics the server joined the waits with their
---rows of staging by reading all of these for each wait; 12,000 took 5 s, and 100,000 would have taken minutes.

local Cluster = require "spec.support.store_cluster"

local cluster = Cluster.installed(nil, "session_preload_libraries=auto_explain", "auto_explain.log_min_duration=0",
  "auto_explain.log_analyze=on", "auto_explain.log_timing=off", "auto_explain.log_nested_statements=on", "autovacuum=off")
if not cluster then return end

describe("a store without statistics", function()
  it("reads each row of a submission some times, whatever their number", function()
    cluster:submit { waits = 3000 }
    cluster:stop()
    local log, count = cluster.server.service.process.stderr, 0
    for removed in log:gmatch "Rows Removed by Join Filter: (%d+)" do
      assert.is_true(tonumber(removed) < 10000, removed .. " rows")
    end
    for loops in log:gmatch "actual rows=%d+ loops=(%d+)" do
      count = count + 1
      assert.is_true(tonumber(loops) < 10000, loops .. " loops")
    end
    for rows, loops in log:gmatch "actual rows=(%d+) loops=(%d+)" do
      assert.is_true(tonumber(rows) * tonumber(loops) < 30000, ("%s rows, %s times"):format(rows, loops))
    end
    assert.is_true(count > 20)
    assert.matches("INSERT INTO bide.turn", log, 1, true)
  end)
end)
