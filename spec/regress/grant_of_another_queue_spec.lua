---`bide store grant` set the timeouts of a role in all databases, by the queue that was granted last: a role that might work in
---one queue had its submissions to another cut after 10 s, and so had an application in its own database. Rights given to a
---role that cannot log in had no effect, and those of a role that was dropped stayed for the next one with its name.

local Cluster = require "spec.support.store_cluster"
local Workspace = require "spec.support.workspace"

local cluster = Cluster.installed(nil, "autovacuum_naptime=15s", "fsync=on")
if not cluster then return end

describe("bide store grant", function()
  local workspace = Workspace.of_each()

  setup(function() cluster:admin("CREATE DATABASE other; CREATE ROLE team; CREATE ROLE tim LOGIN IN ROLE team") end)

  local function store(words)
    local all = { "store", "--store=" .. cluster:url "postgres" }
    for word in words:gmatch "%S+" do all[#all + 1] = word end
    return workspace:bide(all)
  end

  ---Returns the settings of a new session of tim.
  local function settings(database)
    return cluster:sql_in(database, [[SELECT current_setting('statement_timeout'),
      current_setting('idle_in_transaction_session_timeout'), current_setting('tcp_keepalives_idle')]], "tim")
  end

  it("gives the timeouts that all its queues need, in this database alone", function()
    for _, case in ipairs { { "tim --queue a --work", "10s|1min|60" }, { "tim --queue b --submit", "0|1min|60" },
      { "tim --queue c --work", "0|1min|60" }, { "tim --queue b", "10s|1min|60" }, { "tim --queue a", "10s|1min|60" },
      { "tim --queue c", "0|0|7200" } } do
      store("grant " .. case[1]):ends(0)
      assert.equal(case[2], settings "postgres", case[1])
      assert.equal("0|0|7200", settings "other", case[1])
    end
  end)

  it("refuses a role that cannot log in", function()
    local done = store "grant team --submit"
    assert.same({ 2, "" }, { done.code, done.stdout })
    assert.matches("the role team cannot log in: rights are those of the role that logs in; grant them to each member",
      done.stderr, 1, true)
    assert.equal("0", cluster:admin("SELECT count(*) FROM bide.queue_grant WHERE role = 'team'"))
  end)

  it("takes the rights of a role that is gone, which check finds", function()
    cluster:admin("CREATE ROLE gone LOGIN")
    assert.equal(0, store("grant gone --submit --queue default").code)
    cluster:admin("DROP ROLE gone")
    local found = "the role gone is gone, and the next one of its name gets its rights on the queue default"
    assert.matches(found, store("check").stdout, 1, true)
    assert.equal(2, store("grant gone --submit").code)
    local done = store "grant gone --queue default"
    assert.same({ 0, "" }, { done.code, done.stderr })
    assert.not_matches("role gone", store("check").stdout, 1, true)
  end)
end)
