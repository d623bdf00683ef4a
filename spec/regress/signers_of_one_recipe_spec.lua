---The last signature of a recipe counted for all waits of its owner: one by another key took the waits of the first one away
---from the workers that trust that; and a worker that had refused the recipe without a signature refused it with one as well.

local Cluster = require "spec.support.store_cluster"
local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"

local cluster = Cluster.installed()
if not cluster then return end

local recipe = [[
return { Get = { call = function() return { state = "done" } end, waitable = { Done = { minDelay = 0.02, maxDelay = 0.1,
  acceptors = { { state = "success", matcher = { output = { path = "state", comparator = "stringEquals",
    expected = "done" } } } } } } } }
]]

describe("waits of one recipe", function()
  local workspace = Workspace.of_block()
  local worker

  setup(function()
    workspace:write("jobs.lua", recipe)
    for _, name in ipairs { "mine", "other" } do
      local done = process.run({ "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", workspace.path .. "/" .. name },
        { tool = true })
      assert.equal(0, done.code, done.stderr)
    end
    workspace:write("trust", "signers:signers")
    local key <close> = assert(io.open(workspace.path .. "/mine.pub"))
    workspace:write("signers", 'ann@example.org namespaces="bide-recipe" ' .. key:read "a")
  end)

  local function submit(...)
    local done = workspace:bide { "submit", "--store", cluster:url "ada", "jobs.lua", "--max-wait=60s", ... }
    assert.equal(0, done.code, done.stderr)
    return done.stdout:match "%d+"
  end

  local function code_of(run, time)
    return workspace:bide({ "watch", run, "--store", cluster:url "ada", "--quiet", "--for", time }).code
  end

  it("keep the signatures with which they were submitted", function()
    local signed, by_other, unsigned = submit("--sign", "mine"), submit("--sign", "other"), submit()
    worker = workspace:start { "worker", "--store", cluster:url "wim", "--trusted", "--trust", "trust" }
    worker:wait_for_output "it is not signed"
    assert.equal(0, code_of(signed, "20s"))
    assert.equal(75, code_of(by_other, "300ms"))
    assert.equal(75, code_of(unsigned, "300ms"))
    assert.equal(0, code_of(submit("--sign", "mine", "--seed=1"), "20s"))
    assert.equal("3", cluster:admin("SELECT count(*) FROM bide.bundle"))
    worker:stop()
  end)

  it("have one bundle for a key, whose last signature counts, and one for each text that is no signature", function()
    local function put(signature)
      local value = signature and ("'%s'"):format(signature) or "NULL"
      return cluster:sql("bob", ("SELECT bide.put_bundle('m', '', %s)"):format(value))
    end
    local function signature(key, rest)
      return ("-----BEGIN SSH SIGNATURE-----\n%s\n-----END SSH SIGNATURE-----"):format(cluster:admin(
        ([[SELECT encode(convert_to('SSHSIG', 'UTF8') || '\x00000001'::bytea || int4send(%d) || '%s%s', 'base64')]])
          :format(#key, key, rest)))
    end
    local one = put(signature("key", "first"))
    assert.equal(one, put(signature("key", "second")))
    assert.equal(signature("key", "second"), cluster:admin("SELECT signature FROM bide.bundle WHERE id = " .. one))
    local others = { one, put(signature("kez", "first")), put(), put "", put "x", put "y", put "AAAA" }
    local known = {}
    for _, id in ipairs(others) do
      assert.is_nil(known[id])
      known[id] = true
    end
    assert.equal(others[3], put())
  end)
end)
