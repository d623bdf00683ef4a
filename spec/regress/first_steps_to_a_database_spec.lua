---What somebody meets who moves from one machine to many: messages that said what is wrong, and not what to do; a role that does
---not exist "has no rights"; and `bide workers` of a role without any right said by exit code 0 that all is well.

local Cluster = require "spec.support.store_cluster"
local Workspace = require "spec.support.workspace"

local cluster = Cluster.installed()
if not cluster then return end

describe("the first steps to a database", function()
  local workspace = Workspace.of_each()

  setup(function() cluster:submit() end)

  ---The words of a command, its URL, and what it says; each is a mistake.
  local cases = {
    { "store grant anna --submit", "postgres",
      'role "anna" does not exist: make it first, such as by createuser --pwprompt\n' },
    { "store grant anna", "postgres", 'role "anna" does not exist: make it first' },
    { "workers", "anna", 'role "anna" does not exist (the URL names the role, postgres://ROLE@HOST/DATABASE, which has to' },
    { "workers", "nobody", "permission denied for schema bide (run, as an administrator: bide store grant" },
    { "workers", "postgres", "there is no queue on which this role has a right: bide workers is for a role that" },
  }

  for _, case in ipairs(cases) do
    it(("say what to do: bide %s, as %s"):format(case[1], case[2]), function()
      local words = {}
      for word in case[1]:gmatch "%S+" do words[#words + 1] = word end
      words[#words + 1] = "--store=" .. cluster:url(case[2])
      local done = workspace:bide(words)
      assert.same({ 2, "" }, { done.code, done.stdout })
      assert.matches(case[3], done.stderr, 1, true)
    end)
  end

  it("say how TLS is set up", function()
    local done = workspace:bide { "workers", "--store", cluster:url "ada" .. "?sslmode=require" }
    assert.same({ 2, "bide: sslmode=require, but the server has no TLS (a server elsewhere needs TLS with a certificate for its "
      .. "name: ?sslrootcert=FILE after the database names its authority, and ?sslmode=disable is for a network that you "
      .. "trust)\n" }, { done.code, done.stderr })
  end)

  it("say what a URL looks like", function()
    local done = workspace:bide { "workers", "--store", "postgres:ada@h/waits" }
    assert.same({ 2, "bide: --store: expected a URL such as postgres://app@db/shop\n" }, { done.code, done.stderr })
  end)

  it("count one wait", function()
    local done = workspace:bide { "workers", "--store", cluster:url "ada" }
    assert.same({ 1, "bide: no worker serves the queue default, which has 1 wait that is due\n" }, { done.code, done.stderr })
  end)
end)
