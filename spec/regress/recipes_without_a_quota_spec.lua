---A role that submits could fill the disk of the server with recipes and options, in calls that made no run: only waits and
---runs had quotas. What it keeps is counted in bytes, also when many submit at once, and less once it is deleted.

local Cluster = require "spec.support.store_cluster"
local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"

local cluster = Cluster.installed()
if not cluster then return end

describe("the recipes of a role", function()
  local function limit(bytes) cluster:admin(("UPDATE bide.queue_grant SET most_kept = %s WHERE role = 'ada'"):format(bytes)) end
  local function put(name, bytes)
    return ("SELECT bide.put_definition(bide.put_bundle('%s', convert_to(repeat('x', %d), 'UTF8'), NULL), 'W', '{}')"):format(
      name, bytes)
  end
  local kept = "SELECT coalesce(sum(bytes), 0) FROM bide.bundle WHERE owner = 'ada'"

  before_each(function()
    cluster:empty()
    cluster:admin "DELETE FROM bide.definition; DELETE FROM bide.bundle"
  end)

  it("take no more than its quota, however they come", function()
    limit(5000)
    cluster:sql("ada", put("a", 1000))
    assert.equal(tostring(256 + 1 + 1000 + 256 + 3), cluster:admin(kept))
    local state, message = cluster:failure("ada", put("b", 4000))
    assert.same({ "BD003", "the role ada may keep 5000 bytes of recipes and options, and would have 5773: those that no run "
      .. "needs are deleted a day later; an administrator may allow more by bide store grant --most-kept" }, { state, message })
    assert.equal("BD003", (cluster:failure("ada",
      "SELECT bide.put_definition((SELECT max(id) FROM (SELECT bide.put_bundle('a', '', NULL)) x(id)), 'W', repeat('x', 4000))")))
    assert.equal("BD003", (cluster:failure("ada", ("SELECT bide.put_bundle('a', '', '%s')"):format(("x"):rep(4000)))))
    cluster:sql("ada", put("a", 1000)) -- it is there already
    assert.equal("1516", cluster:admin(kept))
    limit "100"
    cluster:sql("ada", put("a", 1000))
    cluster:sql("bob", put("b", 100000))
    for _, level in ipairs { "REPEATABLE READ", "SERIALIZABLE" } do
      assert.equal("BD005", (cluster:failure("ada", ("BEGIN ISOLATION LEVEL %s; %s"):format(level, put("c", 1)))))
    end
    cluster:admin "UPDATE bide.queue_grant SET may_submit = false, may_work = true WHERE role = 'ada'"
    assert.equal("BD002", (cluster:failure("ada", put("d", 1))))
    cluster:admin "UPDATE bide.queue_grant SET may_submit = true, may_work = false WHERE role = 'ada'"
  end)

  it("take no more if they come at once", function()
    limit(10000)
    local running, states = {}, {}
    for i = 1, 12 do
      running[i] = process.start(cluster:client "ada",
        { tool = true, cwd = "/", stdin = "\\set VERBOSITY verbose\n" .. put("r" .. i % 8, 1483) .. ";" })
    end
    for _, one in ipairs(running) do
      one:wait()
      local state = one.code == 0 and "made" or one.stderr:match "ERROR:%s+(%w+)" or one.stderr
      states[state] = (states[state] or 0) + 1
    end
    assert.equal(12, states.made + states.BD003)
    assert.equal("t|5", cluster:admin "SELECT sum(bytes) = 10000, count(*) FROM bide.bundle")
  end)

  it("take less once they are deleted", function()
    limit "NULL"
    cluster:sql("ada", put("a", 1000))
    cluster:sql("ada", put("b", 1000))
    local worker = cluster:enter()
    cluster:admin "UPDATE bide.definition SET used = 1 WHERE id = (SELECT min(id) FROM bide.definition)"
    cluster:sql("wim", "SELECT * FROM bide.maintain(false)")
    assert.equal("1257|1516", cluster:admin "SELECT min(bytes), max(bytes) FROM bide.bundle")
    cluster:admin "UPDATE bide.bundle SET made = 1; UPDATE bide.meta SET maintained = 0"
    cluster:sql("wim", "SELECT * FROM bide.maintain(false); SELECT bide.leave(" .. worker .. ")")
    assert.equal("1516", cluster:admin(kept))
  end)

  it("have a quota that grant and set name", function()
    local workspace = Workspace.make()
    local function url(role) return ("--store=postgres://%s@127.0.0.1:%d/postgres"):format(role, cluster.port) end
    local done = workspace:bide { "store", "grant", "ada", "--submit", "--most-kept", "64M", url "postgres" }
    assert.equal(0, done.code, done.stderr)
    assert.equal(tostring(64 << 20), cluster:admin "SELECT most_kept FROM bide.queue_grant WHERE role = 'ada'")
    assert.matches("most_kept  1G\n", workspace:bide({ "store", "set", url "postgres" }).stdout, 1, true)
    limit "600"
    workspace:write("a.lua", [[return { W = { call = function() return 1 end, waitable = { R = { acceptors = {
      { state = "success", matcher = { success = true } } } } } } }]])
    done = workspace:bide { "submit", "a.lua", "--max-wait", "1m", "--quiet", url "ada" }
    assert.same({ 2, "" }, { done.code, done.stdout })
    assert.matches("the role ada may keep 600 bytes of recipes and options, and would have", done.stderr, 1, true)
    assert.equal("0|0|0", cluster:admin [[SELECT (SELECT count(*) FROM bide.run), (SELECT count(*) FROM bide.bundle),
      (SELECT count(*) FROM bide.staging)]])
    workspace:remove()
  end)
end)
