---`bide store` changed settings and rights of a store that only newer releases can use, called it ready, and found nothing in
---it, where all other commands refused it.

local Cluster = require "spec.support.store_cluster"
local Workspace = require "spec.support.workspace"

local cluster = Cluster.installed(nil, "autovacuum_naptime=15s")
if not cluster then return end

describe("a store of a newer release", function()
  local workspace = Workspace.of_each()

  setup(function() cluster:admin("UPDATE bide.meta SET version = 7, reads_from = 6") end)

  for _, words in ipairs {
    { "store", "init" }, { "store", "migrate" }, { "store", "migrate", "--finish" }, { "store", "check" }, { "store", "set" },
    { "store", "set", "lease", "20s" }, { "store", "grant", "nobody", "--submit" }, { "workers" }, { "jobs", "list" },
    { "watch", "1" }, { "worker" }, { "submit", "tcp", "1", "--max-wait=50s" },
  } do
    it("is refused by " .. table.concat(words, " "), function()
      words[#words + 1] = "--store=" .. cluster:url "postgres"
      local done = workspace:bide(words)
      assert.same({ 2, "" }, { done.code, done.stdout }, done.stderr)
      assert.matches("the schema of the store is for a newer bide: it has version 7, which releases from version 6 on can use, "
        .. "and this bide knows 1: upgrade bide\n", done.stderr, 1, true)
      assert.equal("10000000|0", cluster:admin(
        "SELECT s.value, (SELECT count(*) FROM bide.queue_grant WHERE role = 'nobody') FROM bide.setting s WHERE name = 'lease'"))
    end)
  end
end)
