---`bide watch` believed an outcome whatever the store had counted, and ended with a stack trace where a row was not one that
---bide writes. What it cannot believe ends with 70 and a sentence, and never with 0.

local Cluster = require "spec.support.store_cluster"
local Workspace = require "spec.support.workspace"

local cluster = Cluster.installed()
if not cluster then return end

local recipe = [[
return { Look = {
  call = function() return { state = "%s" } end,
  waitable = { Seen = { acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "there" } } },
    { state = "failure", matcher = { output = { path = "state", comparator = "stringEquals", expected = "lost" } } },
  } } },
} }
]]

describe("the watch of a run whose rows contradict each other", function()
  local workspace = Workspace.of_each()

  setup(function() cluster:let_work "ada" end)
  before_each(function()
    cluster:empty()
    workspace:write("there.lua", recipe:format "there")
    workspace:write("lost.lua", recipe:format "lost")
  end)

  local function bide(words)
    words[#words + 1] = "--store=" .. cluster:url "ada"
    return workspace:bide(words)
  end

  ---Runs waits, changes rows, and watches the run.
  local function watch(words, code, statement)
    bide({ "run", "--max-wait=20s", "--work", "--quiet", table.unpack(words) }):ends(code)
    local run = cluster:admin("SELECT max(id) FROM bide.run")
    cluster:admin(statement:gsub("RUN", run))
    return bide { "watch", run, "--quiet" }
  end

  it("ends with 70, and is no success", function()
    for _, statement in ipairs {
      "UPDATE bide.run SET succeeded = 0, failed = 1, outcome = 'failure' WHERE id = RUN",
      "UPDATE bide.run SET outcome = 'failure' WHERE id = RUN", "UPDATE bide.run SET outcome = NULL WHERE id = RUN",
      "UPDATE bide.run SET cancelled = 1 WHERE id = RUN", "UPDATE bide.run SET need = 2 WHERE id = RUN",
      "UPDATE bide.run SET about = '{' WHERE id = RUN", "UPDATE bide.wait SET position = 2 WHERE run = RUN",
      "UPDATE bide.wait SET outcome = NULL WHERE run = RUN", "UPDATE bide.wait SET outcome = '{' WHERE run = RUN",
      "UPDATE bide.wait SET outcome = '[]' WHERE run = RUN", "UPDATE bide.wait SET outcome = '7' WHERE run = RUN",
      [[UPDATE bide.wait SET outcome = '"success"' WHERE run = RUN]],
      [[UPDATE bide.wait SET outcome = '{"state":"success"}' WHERE run = RUN]],
      [[UPDATE bide.wait SET outcome = replace(outcome, '"success"', '"retry"') WHERE run = RUN]],
    } do
      local done = watch({ "there.lua" }, 0, statement)
      assert.same({ 70, "" }, { done.code, done.stdout }, statement .. "\n" .. done.stderr)
      assert.matches("^bide: the store is broken: [^\n]+\n$", done.stderr, statement)
    end
  end)

  it("ends with 70 for a fleet, too", function()
    for _, statement in ipairs {
      "UPDATE bide.run SET outcome = 'success' WHERE id = RUN",
      "UPDATE bide.run SET outcome = 'success', succeeded = 2, failed = 0 WHERE id = RUN",
      [[UPDATE bide.run SET about = '{"fleet":false}' WHERE id = RUN]],
    } do
      local done = watch({ "--keep-going", "there.lua", "+", "lost.lua" }, 1, statement)
      assert.same({ 70, "" }, { done.code, done.stdout }, statement .. "\n" .. done.stderr)
      assert.matches("the store is broken", done.stderr, 1, true)
    end
  end)
end)
