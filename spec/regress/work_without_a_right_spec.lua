---`bide run --store --work` by a role that may submit and not work gave a warning, and watched a run that nobody may ever work
---at until its deadline. It ends with 2 before it submits anything.

local Cluster = require "spec.support.store_cluster"
local Workspace = require "spec.support.workspace"

local cluster = Cluster.installed()
if not cluster then return end

describe("bide run --store --work", function()
  local workspace = Workspace.of_each()

  it("submits nothing if its role may not work in the queue", function()
    workspace:write("look.lua", [[
      local seen = { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "x" } } }
      return { Look = { call = function() return { state = "x" } end, waitable = { Seen = { acceptors = { seen } } } } }]])
    local function run(...)
      return workspace:bide { "run", "look.lua", "--max-wait", "5s", "--quiet", "--work", "--store",
        cluster:url "ada", ... }
    end
    local done = run()
    assert.same({ 2, "" }, { done.code, done.stdout })
    assert.equal("0|0", cluster:admin("SELECT (SELECT count(*) FROM bide.run), (SELECT count(*) FROM bide.bundle)"))
    cluster:let_work "ada"
    done = run()
    assert.equal(0, done.code, done.stderr)
    assert.equal(2, run("--queue", "nowhere").code)
  end)
end)
