---A run of a store that needed no success, or fewer than none, was one whatever became of its waits: `bide watch` ended with 0
---beside failures. Other values than numbers, in a file, ended `bide watch` and `bide jobs` with a stack trace; and a run without
---a seed ended its worker again and again.

local Cluster = require "spec.support.store_cluster"
local Workspace = require "spec.support.workspace"
local journal = require "spec.support.journal"

local recipe = [[
return { Look = {
  call = function() return { state = "lost" } end,
  waitable = { Seen = { acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "there" } } },
    { state = "failure", matcher = { output = { path = "state", comparator = "stringEquals", expected = "lost" } } },
  } } },
} }
]]

local line = '"$BIDE" submit lost.lua + lost.lua --max-wait 50s --store %s %s'

describe("a run whose row is broken", function()
  local workspace = Workspace.of_each()

  before_each(function() workspace:write("lost.lua", recipe) end)

  ---Works until the run has ended, or cannot be watched.
  local function watch(run, url, of_worker)
    local worker = workspace:start { "worker", "--quiet", "--store", of_worker or url }
    worker:hold_loop(false)
    local done = workspace:bide { "watch", run, "--quiet", "--store", url }
    worker:kill "sigterm"
    worker:wait()
    return done
  end

  local function assert_broken(done, about)
    assert.same({ 70, "" }, { done.code, done.stdout }, about .. done.stderr)
    assert.matches("^bide: the store is broken: [^\n]+\n$", done.stderr)
  end

  for _, need in ipairs { "0", "-5", "3" } do
    it("is no success of a file, if it needs " .. need, function()
      for _, option in ipairs { "", "--any", "--some 2", "--keep-going" } do
        local run = workspace:shell(line:format("w.db", option)).stdout:match "%d+"
        journal.query(workspace.path .. "/w.db", ("UPDATE store_run SET need = %s WHERE id = %s"):format(need, run))
        assert_broken(watch(run, "w.db"), option)
      end
      local listed = workspace:bide { "jobs", "--store", "w.db" }
      assert.same({ 2, "" }, { listed.code, listed.stdout })
      assert.equal(4, select(2, listed.stderr:gsub("bide: the store is broken: run %d: [^\n]+\n", "")), listed.stderr)
      workspace:write("list.lua", [[
        local store = require "bide.store".open "w.db"
        print(store:list())
        print(store:watch(1))]])
      local scripted = workspace:bide { "exec", "list.lua" }
      assert.equal(0, scripted.code, scripted.stderr)
      assert.matches("^nil\tthe store is broken: [^\n]+\nnil\tthe store is broken: [^\n]+\n$", scripted.stdout)
    end)
  end

  it("ends the commands that read it with a sentence", function()
    assert.equal(0, workspace:shell(line:format("w.db", "")).code)
    local path = workspace.path .. "/w.db"
    journal.query(path, "CREATE TABLE kept AS SELECT * FROM store_run")
    for _, column in ipairs { "need", "waits", "open", "succeeded", "failed", "cancelled", "began", "deadline", "ended" } do
      for _, value in ipairs { "'x'", "x'35'", "1.5", "9e999", "9223372036854775807" } do
        journal.query(path, ("UPDATE store_run SET %s = %s"):format(column, value))
        local about = column .. " = " .. value
        assert_broken(workspace:bide { "watch", "1", "--quiet", "--store", "w.db" }, about)
        for _, words in ipairs { { "jobs" }, { "jobs", "show", "1" } } do
          words[#words + 1] = "--store=w.db"
          local done = workspace:bide(words)
          assert.same({ 2, "" }, { done.code, done.stdout }, about .. done.stderr)
          assert.matches("^bide: the store is broken: [^\n]+\n$", done.stderr)
        end
        journal.query(path, ("UPDATE store_run SET %s = (SELECT %s FROM kept)"):format(column, column))
      end
    end
    assert.equal(0, workspace:bide({ "jobs", "--store", "w.db" }).code)
  end)

  local cluster = Cluster.installed()
  if not cluster then return end

  it("is no success of a database", function()
    for _, need in ipairs { "0", "-5", "-2147483648", "3" } do
      for _, option in ipairs { "", "--any" } do
        cluster:empty()
        local run = workspace:shell(line:format(cluster:url "ada", option)).stdout:match "%d+"
        cluster:admin("UPDATE bide.run SET need = " .. need)
        assert_broken(watch(run, cluster:url "ada", cluster:url "wim"), need .. option)
      end
    end
  end)

  it("ends the wait alone whose seed is gone", function()
    for table, column in pairs { run = "seed", wait = "position" } do
      cluster:empty()
      cluster:admin(("ALTER TABLE bide.%s ALTER %s DROP NOT NULL"):format(table, column))
      local run = workspace:shell(line:format(cluster:url "ada", "")).stdout:match "%d+"
      cluster:admin(("UPDATE bide.%s SET %s = NULL"):format(table, column))
      local worker = workspace:start { "worker", "--quiet", "--store", cluster:url "wim" }
      worker:hold_loop(false)
      workspace:write("there.lua", (recipe:gsub('"lost" } end', '"there" } end')))
      local words = { "run", "there.lua", "--max-wait", "50s", "--quiet", "--store", cluster:url "ada" }
      local done = workspace:bide(words)
      assert.equal(0, done.code, done.stderr .. worker.stderr)
      done = workspace:bide { "watch", run, "--quiet", "--store", cluster:url "ada" }
      worker:kill "sigterm"
      worker:wait()
      assert.same({ column == "seed" and 5 or 70, "", 0 }, { done.code, worker.stderr, worker.code }, done.stderr)
      cluster:admin(("DELETE FROM bide.wait; UPDATE bide.run SET seed = coalesce(seed, 0); "
        .. "ALTER TABLE bide.%s ALTER %s SET NOT NULL"):format(table, column))
    end
  end)

  it("ends the commands that read it in a database with a sentence", function()
    cluster:empty()
    assert.equal(0, workspace:shell(line:format(cluster:url "ada", "")).code)
    for _, column in ipairs { "began", "deadline", "ended" } do
      for _, value in ipairs { "9223372036854775807", "-9223372036854775807" } do
        cluster:admin(("UPDATE bide.run SET %s = %s"):format(column, value))
        for _, words in ipairs { { "jobs" }, { "watch", "1" } } do
          words[2] = words[2] and cluster:admin("SELECT id FROM bide.run")
          words[#words + 1] = "--store=" .. cluster:url "ada"
          local done = workspace:bide(words)
          assert.same({ words[1] == "jobs" and 2 or 70, "" }, { done.code, done.stdout }, column .. value .. done.stderr)
          assert.matches("^bide: the store is broken: [^\n]+\n$", done.stderr)
        end
        cluster:admin(("UPDATE bide.run SET %s = %s"):format(column, column == "ended" and "NULL" or "1"))
      end
    end
  end)
end)
