---A run whose counters somebody had set to numbers beyond all bounds failed each statement in which one of its waits ended, and
---with it the ends of all other runs that a worker wrote at the time. So did a wait with the least number of attempts that there
---is, one below which no statement could count. A decided run with a wrong count of open waits never
---ended, and was cleared again and again in the place of others. And a wait with an error that was none ended its worker.

local Cluster = require "spec.support.store_cluster"
local Workspace = require "spec.support.workspace"

local cluster = Cluster.installed()
if not cluster then return end

describe("a run with broken counters", function()
  local workspace = Workspace.of_each()

  before_each(function() cluster:empty() end)

  local counters = { "open", "succeeded", "failed", "cancelled", "waits", "need", "opened", "attempts" }

  it("keeps no other run from its end", function()
    for _, value in ipairs { "2147483647", "-2147483648" } do
      for _, counter in ipairs(counters) do
        cluster:empty()
        local broken, sound = cluster:submit { rule = "stop" }, cluster:submit()
        local me = cluster:enter()
        local ids = cluster:claim(me)
        assert.equal(2, #ids)
        cluster:admin(("UPDATE bide.run SET %s = %s WHERE id = %s"):format(counter, value, broken))
        local ended = cluster:sql("wim", ([[SELECT count(*) FROM bide.finish(%s, '{%s}', '{1,1}', '{"{}","{}"}', '{f,t}',
          '{NULL,NULL}')]]):format(me, table.concat(ids, ",")))
        assert.equal("2", ended, counter .. value)
        local row = cluster:rows("SELECT outcome, ended IS NOT NULL FROM bide.run WHERE id = " .. sound)[1]
        assert.same({ "success", "t" }, row)
        assert.not_equal("success|t", cluster:admin(("SELECT outcome, ended IS NOT NULL FROM bide.run WHERE id = %s "
          .. "AND succeeded = 1 AND waits = 1 AND failed = 0"):format(broken)))
      end
    end
  end)

  it("keeps no other run from its end by the attempts of a wait", function()
    for _, attempts in ipairs { -2147483648, 2147483647 } do
      cluster:empty()
      local broken, sound = cluster:submit(), cluster:submit()
      local me = cluster:enter()
      local ids = cluster:claim(me)
      cluster:admin(("UPDATE bide.turn SET attempts = %d WHERE id = %d"):format(attempts, ids[1]))
      local ended = cluster:sql("wim", ("SELECT count(*) FROM bide.finish(%s, '{%s}', '{%d,1}', '{\"{}\",\"{}\"}', '{f,t}', "
        .. "'{NULL,NULL}')"):format(me, table.concat(ids, ","), attempts))
      assert.equal("2", ended)
      assert.equal("failure\nsuccess", cluster:admin(("SELECT outcome FROM bide.run WHERE id IN (%s, %s) ORDER BY id")
        :format(broken, sound)))
    end
  end)

  it("keeps no other run from being over", function()
    for _, value in ipairs { "2147483647", "-2147483648" } do
      for _, counter in ipairs(counters) do
        cluster:empty()
        local broken, sound = cluster:submit(), cluster:submit()
        cluster:admin(("UPDATE bide.run SET %s = %s WHERE id = %s; UPDATE bide.turn SET due = 1, deadline = 1")
          :format(counter, value, broken))
        assert.equal("2", cluster:sql("wim", "SELECT bide.expire()"), counter .. value)
        assert.equal("failure|t", cluster:admin("SELECT outcome, ended IS NOT NULL FROM bide.run WHERE id = " .. sound))
      end
    end
  end)

  it("ends once it is decided, and lets others be cleared", function()
    for _, change in ipairs { "open = 99", "open = -2147483648", "cancelled = 2147483647", "opened = -2147483648" } do
      cluster:empty()
      local broken, sound = cluster:submit(), cluster:submit()
      for _, run in ipairs { broken, sound } do cluster:sql("ada", ("SELECT bide.cancel(%s)"):format(run)) end
      cluster:admin(("UPDATE bide.run SET %s WHERE id = %s"):format(change, broken))
      for _ = 1, 4 do cluster:sql("wim", "SELECT bide.clear(NULL)") end
      assert.equal("2", cluster:admin("SELECT count(*) FROM bide.run WHERE ended IS NOT NULL"), change)
    end
  end)

  it("ends a wait alone whose error is not one", function()
    workspace:write("look.lua", [[
      local seen = { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "x" } } }
      return { Look = { call = function() error { type = "NotFound" } end,
        waitable = { Seen = { minDelay = 5, maxDelay = 5, acceptors = { seen } } } } }]])
    for _, text in ipairs { "{}", "[]", "[1]", "1", '"x"', '{"type":1}', '{"type":""}', "null" } do
      cluster:empty()
      local words = { "submit", "look.lua", "--max-wait=1ms", "--retry-on=NotFound", "--store", cluster:url "ada" }
      local run = workspace:bide(words).stdout:match "%d+"
      assert.is_not_nil(run)
      cluster:admin(("UPDATE bide.wait SET error = '%s'"):format(text))
      local worker = workspace:start { "worker", "--quiet", "--store", cluster:url "wim" }
      worker:hold_loop(false)
      local done = workspace:bide { "watch", run, "--for", "20s", "--store", cluster:url "ada" }
      worker:kill "sigterm"
      worker:wait()
      assert.is_true(done.code == 5 or done.code == 124, ("%s: %d %s"):format(text, done.code, done.stderr))
      assert.equal("", worker.stderr, text)
    end
  end)
end)
