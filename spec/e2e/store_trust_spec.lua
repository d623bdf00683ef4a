---Whose recipes a trusted worker runs: those of an owner, and those that a key has signed.

local Cluster = require "spec.support.store_cluster"
local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"
local uv = require "luv"

local cluster = Cluster.installed()
if not cluster then return end

local recipe = [[
return { Get = { call = function() return { state = "done" } end, waitable = { Done = { minDelay = 0.02, maxDelay = 0.1,
  acceptors = { { state = "success", matcher = { output = { path = "state", comparator = "stringEquals",
    expected = "done" } } } } } } } } -- %s
]]

describe("a trusted worker", function()
  local workspace = Workspace.of_each()

  before_each(function()
    cluster:empty()
    cluster:admin("TRUNCATE bide.definition, bide.bundle")
    workspace:write("jobs.lua", recipe:format "1")
    for _, name in ipairs { "mine", "other" } do
      local done = process.run({ "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", workspace.path .. "/" .. name },
        { tool = true })
      assert.equal(0, done.code, done.stderr)
    end
  end)

  ---Writes a file of allowed signers with the key `mine`.
  local function allow(options)
    workspace:write("signers", ("ann@example.org %s %s"):format(options or 'namespaces="bide-recipe"', workspace:read "mine.pub"))
  end

  local function submit_as(role, ...)
    local done = workspace:bide { "submit", "--store", cluster:url(role), "jobs.lua", "--max-wait=60s", ... }
    assert.equal(0, done.code, done.stderr)
    return done.stdout:match "%d+"
  end

  local function work(lines, ...)
    workspace:write("trust", lines)
    return workspace:start { "worker", "--store", cluster:url "wim", "--trusted", "--trust", "trust", ... }
  end

  local function watch(role, run, ...)
    return workspace:bide { "watch", run, "--store", cluster:url(role), "--quiet", ... }
  end

  local function digest()
    return cluster:admin("SELECT DISTINCT encode(digest, 'hex') FROM bide.bundle")
  end

  ---Waits until a worker has said something.
  local function await(worker, text)
    local deadline = uv.hrtime() + 30e9
    while not worker.stderr:find(text, 1, true) do
      assert(uv.hrtime() < deadline, ("%s is not said: %s"):format(text, worker.stderr))
      assert.is_nil(worker.code, worker.stderr)
      uv.run "nowait"
      uv.sleep(20)
    end
  end

  ---Asserts that a worker leaves a run, and says why.
  local function assert_left(run, lines, text)
    local worker = work(lines)
    await(worker, text)
    watch("ada", run, "--for", "300ms"):ends(75)
    assert.equal("0", cluster:admin("SELECT sum(attempts) FROM bide.turn"))
    worker:stop()
  end

  it("runs the recipe of one owner, and not the same one of another", function()
    local of_ada, of_bob = submit_as "ada", submit_as "bob"
    local worker = work(("sha256:%s owner=ada\n"):format(digest()))
    assert.equal(0, watch("ada", of_ada).code)
    await(worker, ("it trusts sha256:%s of other owners, and not of bob"):format(digest()))
    assert.equal(75, watch("bob", of_bob, "--for", "300ms").code)
    worker:stop()
  end)

  it("runs what an allowed key has signed", function()
    allow()
    local run = submit_as("ada", "--sign", "mine")
    local worker = work "signers:signers"
    assert.equal(0, watch("ada", run).code)
    worker:stop()
    assert.matches("BEGIN SSH SIGNATURE", cluster:admin("SELECT signature FROM bide.bundle"), 1, true)
    workspace:write("distrust", "sha256:" .. digest())
    run = submit_as("ada", "--sign", "mine", "--seed=1")
    worker = work("signers:signers", "--distrust", "distrust")
    await(worker, "it distrusts sha256:")
    assert.equal(75, watch("ada", run, "--for", "300ms").code)
    worker:stop()
  end)

  it("leaves what no allowed key has signed for it", function()
    allow()
    local run = submit_as "ada"
    assert_left(run, "signers:signers", "it is not signed")
    run = submit_as("ada", "--sign", "other")
    assert_left(run, "signers:signers", "its signature: signers: ")
    run = submit_as("ada", "--sign", "mine")
    assert_left(run, "signers:signers owner=bob", "it does not trust sha256:")
    for _, options in ipairs { 'namespaces="file"', 'namespaces="bide-recipe",valid-before="20200101"',
      'namespaces="bide-recipe",valid-after="20990101"', "cert-authority" } do
      allow(options)
      assert_left(run, "signers:signers", "its signature: signers: ")
    end
    allow()
    local worker = work "signers:signers"
    assert.equal(0, watch("ada", submit_as("ada", "--sign", "mine")).code)
    worker:stop()
  end)

  it("leaves a recipe whose signature is of another one, of another namespace, or none at all", function()
    allow()
    submit_as("ada", "--sign", "mine")
    local signature = cluster:admin("SELECT signature FROM bide.bundle")
    workspace:write("jobs.lua", recipe:format "2")
    local run = submit_as "ada"
    local function forge(text)
      cluster:admin(("UPDATE bide.bundle SET signature = $x$%s$x$"):format(text))
    end
    forge(signature)
    assert_left(run, "signers:signers", "its signature: signers: ")
    workspace:write("manifest", cluster:admin("SELECT manifest FROM bide.bundle ORDER BY id DESC LIMIT 1") .. "\n")
    local done = process.run({ "ssh-keygen", "-q", "-Y", "sign", "-f", workspace.path .. "/mine", "-n", "file",
      workspace.path .. "/manifest" }, { tool = true })
    assert.equal(0, done.code, done.stderr)
    for _, text in ipairs { workspace:read "manifest.sig", "", "x", signature:sub(1, -60), ("A"):rep(60000) } do
      forge(text)
      assert_left(run, "signers:signers", "its signature: signers: ")
    end
  end)

  it("takes no signature of one owner for the recipe of another", function()
    allow()
    local of_bob = submit_as "bob"
    local of_ada = submit_as("ada", "--sign", "mine")
    local worker = work "signers:signers"
    assert.equal(0, watch("ada", of_ada).code)
    await(worker, "it is not signed")
    assert.equal(75, watch("bob", of_bob, "--for", "300ms").code)
    worker:stop()
    for statement, state in pairs {
      ["SELECT bide.put_definition(%s, 'Done', '{}')"] = "BD005", ["SELECT * FROM bide.definition_of(%s)"] = "42501",
    } do
      local id = cluster:admin("SELECT id FROM bide.bundle WHERE owner = 'ada'")
      assert.equal(state, (cluster:failure("bob", statement:format(id))))
    end
    local id = cluster:admin("SELECT d.id FROM bide.definition d JOIN bide.bundle b ON b.id = d.bundle "
      .. "WHERE b.owner = 'ada'")
    assert.equal("BD005", (cluster:failure("bob", ([[BEGIN;
      INSERT INTO bide.staging (position, definition, max_wait, input) VALUES (1, 1, 60000000, '{}');
      SELECT bide.submit('default', 2::smallint, 'stop', 1, NULL, 7, '{}', 2::smallint, NULL, NULL, ARRAY[%s]); COMMIT;]])
      :format(id))))
  end)

  it("ends a wait whose recipe is of another owner than its run", function()
    local run = submit_as "ada"
    submit_as "bob"
    cluster:admin(([[UPDATE bide.turn t SET definition = x.id, bundle = x.bundle FROM (SELECT d.id, d.bundle
      FROM bide.definition d JOIN bide.bundle b ON b.id = d.bundle WHERE b.owner = 'bob') x, bide.wait w
      WHERE w.id = t.id AND w.run = %s]]):format(run))
    local worker = work(("sha256:%s owner=bob"):format(digest()))
    local done = watch("ada", run)
    worker:stop()
    done:says(5, "its recipe is of another owner")
  end)

  it("refuses files and keys with mistakes", function()
    local function refuse(text, ...)
      local done = workspace:bide { ... }
      assert.same({ 2, "" }, { done.code, done.stdout }, done.stderr)
      assert.matches(text, done.stderr, 1, true)
    end
    local function refuse_line(line, text)
      workspace:write("trust", line)
      refuse(text, "worker", "--store", cluster:url "wim", "--trusted", "--trust", "trust")
    end
    refuse_line("signers:nowhere", "--trust: trust:1: nowhere")
    refuse_line("# \nsha256:00 owner=ada", "--trust: trust:2: expected sha256: and 64 hexadecimal digits")
    refuse_line(("sha256:%s owner="):format(("0"):rep(64)), "--trust: trust:1: expected")
    refuse_line(("sha256:%s owner=a b"):format(("0"):rep(64)), "--trust: trust:1: expected")
    workspace:write("distrust", ("sha256:%s owner=ada"):format(("0"):rep(64)))
    refuse("--distrust: distrust:1: owner=: belongs to --trust", "worker", "--store", cluster:url "wim", "--distrust", "distrust")
    workspace:write("distrust", "signers:distrust")
    refuse("--distrust: distrust:1: expected", "worker", "--store", cluster:url "wim", "--distrust", "distrust")
    refuse("--sign: nowhere", "submit", "--store", cluster:url "ada", "jobs.lua", "--max-wait=3s", "--sign", "nowhere")
    refuse("--sign: ssh-keygen:", "submit", "--store", cluster:url "ada", "jobs.lua", "--max-wait=3s", "--sign", "jobs.lua")
    refuse("--sign: for a store in a database", "submit", "--store", "s.db", "jobs.lua", "--max-wait=3s", "--sign", "mine")
    refuse("--sign needs --store URL", "run", "jobs.lua", "--max-wait=3s", "--sign", "mine")
    assert.equal("0", cluster:admin("SELECT count(*) FROM bide.run"))
  end)

  it("with run --work makes attempts of its own role alone", function()
    submit_as "bob"
    cluster:let_work "ada"
    local done = workspace:bide { "run", "jobs.lua", "--max-wait=50s", "--store", cluster:url "ada", "--work", "--quiet" }
    cluster:admin("REVOKE bide_worker FROM ada; UPDATE bide.queue_grant SET may_work = false WHERE role = 'ada'")
    assert.equal(0, done.code, done.stderr)
    assert.equal("1", cluster:admin("SELECT count(*) FROM bide.turn"))
  end)
end)
