---Where the administrator is no superuser, as of a managed PostgreSQL, `bide store init` failed with version 16 and later: who
---makes a role may not act as it there. `make versions` runs this with those.

local Cluster = require "spec.support.store_cluster"
local Workspace = require "spec.support.workspace"

local cluster = Cluster.of_block(nil, "autovacuum_naptime=15s", "fsync=on")
if not cluster then return end

describe("an administrator who is no superuser", function()
  local workspace = Workspace.of_each()

  setup(function()
    cluster:admin("CREATE ROLE maker LOGIN CREATEROLE; GRANT CREATE ON DATABASE postgres TO maker; "
      .. "GRANT pg_read_all_stats TO maker")
    cluster:sql("maker", "CREATE ROLE app LOGIN; CREATE ROLE worker LOGIN")
  end)

  it("prepares a store, and checks it", function()
    for _, words in ipairs { { "init" }, { "grant", "app", "--submit" }, { "grant", "worker", "--work" },
      { "set", "lease", "9s" }, { "migrate" }, { "migrate", "--finish" }, { "check" }, { "grant", "worker" } } do
      local done = workspace:bide { "store", "--store=" .. cluster:url "maker",
        table.unpack(words) }
      assert.same({ 0, "" }, { done.code, done.stderr }, done.stdout)
    end
    assert.equal("0", cluster:sql("app", "SELECT count(*) FROM bide.runs"))
  end)
end)
