---`bide store check` and its other actions ended with a stack trace where somebody had deleted the only row of `bide.meta`.

local Cluster = require "spec.support.store_cluster"
local Workspace = require "spec.support.workspace"

local cluster = Cluster.installed()
if not cluster then return end

describe("a store without its only row", function()
  local workspace = Workspace.of_each()

  it("is broken, and each command says so", function()
    cluster:sql("postgres", "DELETE FROM bide.meta")
    for _, line in ipairs { "init", "migrate", "migrate --finish", "check", "set", "set lease 10s", "grant ada --submit" } do
      local words = { "store" }
      for word in line:gmatch "%S+" do words[#words + 1] = word end
      words[#words + 1], words[#words + 2] = "--store", cluster:url "postgres"
      local done = workspace:bide(words)
      assert.same({ 2, "bide: the store is broken: bide.meta has no row\n" }, { done.code, done.stderr }, line)
    end
    for _, line in ipairs { { "jobs" }, { "workers" }, { "watch", "1" } } do
      line[#line + 1], line[#line + 2] = "--store", cluster:url "ada"
      workspace:bide(line):says(2, "the store is broken")
    end
  end)
end)
