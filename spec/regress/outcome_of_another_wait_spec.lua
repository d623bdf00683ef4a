---`bide watch`, and `watch` of bide.store, took the success of another wait for that of the row in which it was: two waits of a
---run with their outcomes exchanged were a success of the one that had failed.

local Cluster = require "spec.support.store_cluster"
local Workspace = require "spec.support.workspace"
local journal = require "spec.support.journal"

local recipe = [[
local function seen(name, state, text)
  return { name = name, state = state, matcher = { output = { path = "state", comparator = "stringEquals", expected = text } } }
end
return { Look = {
  call = function(input) return { state = input.state } end,
  waitable = { %s = { minDelay = 0.01, maxDelay = 0.01, acceptors = {
    seen("Good", "success", "there"), seen("Also", "success", "here"), seen("Bad", "failure", "lost"),
  } } },
} }
]]

local script = [[
local result, failure = require "bide.store".open(...):watch(1)
print(result ~= nil, type(failure) == "string" and failure or "")
]]

local broken = "the store is broken: wait %d of run %s: its outcome is not one that bide wrote\n"

describe("the outcome of another wait", function()
  local workspace = Workspace.of_each()

  before_each(function()
    workspace:write("seen.lua", recipe:format "Seen")
    workspace:write("other.lua", recipe:format "Other")
    workspace:write("watch.lua", script)
  end)

  local line = '"$BIDE" submit seen.lua state=there + %s --keep-going --any --max-wait 50s --store %s'

  ---Runs two waits of which one is needed.
  local function run(second, url, of_worker)
    local id = workspace:shell(line:format(second, url)).stdout:match "%d+"
    local worker = workspace:start { "worker", "--quiet", "--store", of_worker or url }
    worker:hold_loop(false)
    workspace:bide({ "watch", id, "--quiet", "--store", url }):ends(0)
    worker:kill "sigterm"
    worker:wait()
    return id
  end

  it("is no success in a file", function()
    local path = workspace.path .. "/w.db"
    run("seen.lua state=lost", "w.db")
    local function watch_after(statement, position)
      journal.query(path, "CREATE TABLE kept AS SELECT id, outcome, attempts FROM store_wait")
      journal.query(path, statement)
      local done = workspace:bide { "watch", "1", "--quiet", "--store", "w.db" }
      assert.same({ 70, "", "bide: " .. broken:format(position, 1) }, { done.code, done.stdout, done.stderr }, statement)
      done = workspace:bide { "exec", "watch.lua", "w.db" }
      assert.same({ 0, "false\t" .. broken:format(position, 1) }, { done.code, done.stdout }, statement .. done.stderr)
      journal.query(path, "UPDATE store_wait SET (outcome, attempts) = (SELECT outcome, attempts FROM kept k WHERE k.id = "
        .. "store_wait.id)")
      journal.query(path, "DROP TABLE kept")
    end
    watch_after("UPDATE store_wait SET outcome = (SELECT outcome FROM kept k WHERE k.id = 3 - store_wait.id)", 2)
    watch_after("UPDATE store_wait SET attempts = 7 WHERE id = 1", 1)
    for _, change in ipairs { "'$.attempts', 2", "'$.waiter', 'Other'", "'$.input.state', 'lost'", "'$.input', json('{}')",
      "'$.input', json('[]')", "'$.acceptor', 2" } do
      watch_after(("UPDATE store_wait SET outcome = json_set(outcome, %s) WHERE id = 1"):format(change), 1)
    end
    workspace:bide({ "watch", "1", "--quiet", "--store", "w.db" }):ends(0)
  end)

  local cluster = Cluster.installed()
  if not cluster then return end

  it("is no success in a database", function()
    for _, second in ipairs { "seen.lua state=lost", "other.lua state=lost" } do
      cluster:empty()
      local id = run(second, cluster:url "ada", cluster:url "wim")
      cluster:admin("UPDATE bide.wait w SET outcome = o.outcome FROM bide.wait o WHERE o.run = w.run AND o.id <> w.id")
      local done = workspace:bide { "watch", id, "--quiet", "--store", cluster:url "ada" }
      assert.same({ 70, "", "bide: " .. broken:format(2, id) }, { done.code, done.stdout, done.stderr })
    end
  end)
end)
