---Commands on a store in PostgreSQL: recipes are sent with their waits, and a worker runs those that it takes.

local Cluster = require "spec.support.store_cluster"
local Workspace = require "spec.support.workspace"
local core = require "bide.core"
local luv = require "luv"

local cluster = Cluster.installed("host all locked 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\n")
if not cluster then return end

local recipe = [[
local helper = require "lib.helper"
local attempts = 0
return { Get = {
  call = function(input)
    attempts = attempts + 1
    return { state = helper.state(attempts), who = input.who }
  end,
  waitable = { Done = { minDelay = 0.02, maxDelay = 0.1, acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "done" } } },
  } } },
} }
]]

local helper = [[return { state = function(count) return count >= %d and "done" or "waiting" end }]]

describe("a store in a database", function()
  local workspace, other

  before_each(function()
    cluster:empty()
    workspace, other = Workspace.make(), Workspace.make()
    assert(luv.fs_mkdir(workspace.path .. "/lib", 448))
    workspace:write("jobs.lua", recipe)
    workspace:write("lib/helper.lua", helper:format(3))
  end)
  after_each(function()
    workspace:remove()
    other:remove()
  end)

  local function submit(...)
    local done = workspace:bide { "submit", "--store", cluster:url "ada", ... }
    assert.equal(0, done.code, done.stderr)
    return done.stdout:match "%d+"
  end

  ---Starts a worker in a folder that has no recipe.
  local function work(...)
    return other:start { "worker", "--store", cluster:url "wim", ... }
  end

  local function watch(run, ...)
    return workspace:bide { "watch", run, "--store", cluster:url "ada", "--quiet", ... }
  end

  local function digest_of(run)
    return cluster:admin(("SELECT encode(b.digest, 'hex') FROM bide.wait w JOIN bide.definition d "
      .. "ON d.id = w.definition JOIN bide.bundle b ON b.id = d.bundle WHERE w.run = %s"):format(run))
  end

  local function assert_mistake(text, done)
    assert.matches(text, done.stderr, 1, true)
    assert.same({ 2, "" }, { done.code, done.stdout })
  end

  it("sends the recipe and its modules to a worker that has neither", function()
    local run = submit("jobs.lua", "who=me", "--max-wait=30s")
    local manifest = cluster:admin("SELECT manifest FROM bide.bundle")
    assert.matches("^bide%-recipe 1 main=jobs%.lua\n%x+ %d+ jobs%.lua\n%x+ %d+ lib/helper%.lua\n$", manifest)
    workspace:write("jobs.lua", "error 'changed'") -- a wait keeps its recipe
    work()
    local done = watch(run, "--output", "json")
    assert.equal(0, done.code, done.stderr)
    assert.same({ state = "done", who = "me" }, core.json.decode(done.stdout).output)
  end)

  it("keeps the modules of two recipes apart, in both kinds of worker", function()
    local first = submit("jobs.lua", "who=a", "--max-wait=30s")
    workspace:write("lib/helper.lua", helper:format(5))
    local second = submit("jobs.lua", "who=a", "--max-wait=30s")
    other:write("trust", ("# mine\nsha256:%s\n\n  sha256:%s # too\n"):format(digest_of(first), digest_of(second):upper()))
    for _, words in ipairs { {}, { "--trusted", "--trust", "trust" } } do
      local runs = { first, second }
      if words[1] then
        runs[2] = submit("jobs.lua", "who=b", "--max-wait=30s")
        workspace:write("lib/helper.lua", helper:format(3))
        runs[1] = submit("jobs.lua", "who=b", "--max-wait=30s")
      end
      local worker = work(table.unpack(words))
      assert.matches("after 3 attempts", watch(runs[1]).stdout)
      assert.matches("after 5 attempts", watch(runs[2]).stdout)
      worker:stop()
    end
  end)

  it("names the files of --with, wherever they are", function()
    workspace:write("bare.json", [[{ "Done": { "minDelay": 1, "maxDelay": 2, "acceptors": [ { "state": "success",
      "matcher": { "output": { "path": "state", "comparator": "stringEquals", "expected": "done" } } } ] } }]])
    other:write("call.lua", 'local m = require "part"\nreturn { Get = function() return m end }')
    other:write("part.lua", 'return { state = "done" }')
    local run = submit("bare.json", "--with", other.path .. "/call.lua", "--max-wait=30s")
    assert.matches("main=bare.json\n%x+ %d+ bare.json\n%x+ %d+ with%-1/call.lua\n%x+ %d+ with%-1/part.lua",
      cluster:admin(("SELECT manifest FROM bide.bundle WHERE digest = '\\x%s'"):format(digest_of(run))))
    other:remove()
    other = Workspace.make()
    work()
    assert.equal(0, watch(run).code)
  end)

  it("sends the modules that the recipe names", function()
    local found = recipe:gsub('require "lib.helper"', 'require("lib." .. "helper")')
      :gsub("call =", 'modules = { "%%s" },\n  call =')
    workspace:write("jobs.lua", found:format "lib.helper")
    local run = submit("jobs.lua", "who=me", "--max-wait=30s")
    assert.matches("lib/helper%.lua", cluster:admin("SELECT manifest FROM bide.bundle"))
    work()
    assert.equal(0, watch(run).code)
    workspace:write("jobs.lua", found:format "lib.other")
    assert_mistake("modules: lib.other is not a file beside the recipe",
      workspace:bide { "submit", "--store", cluster:url "ada", "jobs.lua", "--max-wait=30s" })
  end)

  it("takes waits about one machine only for a queue of that machine", function()
    for words, waiter in pairs { ["file /tmp"] = "FileExists", ["command true"] = "CommandSucceeded" } do
      local name, what = words:match "^(%S+) (%S+)$"
      local list = { name, what, "--max-wait=30s", "--store", cluster:url "ada" }
      assert_mistake(waiter .. " is about the machine that makes the attempt: give --queue Q",
        workspace:bide { "submit", table.unpack(list) })
      assert.equal(0, workspace:bide({ "submit", "--queue", "default", table.unpack(list) }).code)
    end
  end)

  it("leaves recipes that a worker does not take to others", function()
    local run = submit("jobs.lua", "--max-wait=30s")
    other:write("trust", "shipped:http\n")
    other:write("mine", "sha256:" .. digest_of(run))
    for words, reason in pairs { ["--trusted --trust trust"] = "does not trust", ["--distrust mine"] = "distrusts",
      ["--trusted --trust mine --distrust mine"] = "distrusts" } do
      local list = {}
      for word in words:gmatch "%S+" do list[#list + 1] = word end
      local worker = work(table.unpack(list))
      assert.equal(75, watch(run, "--for", "1s").code)
      local said = ("leaves waits of Done to others: it %s sha256:%s"):format(reason, digest_of(run))
      assert.matches(said, worker:stop(), 1, true)
      cluster:admin("UPDATE bide.turn SET lane = lane - 4, due = next, next = NULL WHERE lane > 4")
    end
    work("--trusted", "--trust", "mine")
    assert.equal(0, watch(run).code)
  end)

  it("does not trust a bundled recipe unless it is named", function()
    local run = submit("tcp", "127.0.0.1:" .. cluster.port, "--max-wait=30s")
    other:write("none", "sha256:" .. ("0"):rep(64))
    other:write("trust", "shipped:tcp")
    local refusing = work("--trusted", "--trust", "none")
    assert.equal(75, watch(run, "--for", "1s").code)
    refusing:stop()
    work("--trusted", "--trust", "trust")
    assert.equal(0, watch(run).code)
  end)

  it("runs no recipe outside of the sandbox that needs it", function()
    workspace:write("file.lua", [[local exec = require "bide.exec"
      return { Get = { call = function() return exec "true" end, waitable = { Done = { acceptors = {
        { state = "success", matcher = { success = true } } } } } } }]])
    local run = submit("file.lua", "--max-wait=30s")
    local worker = work()
    assert.equal(75, watch(run, "--for", "1s").code)
    assert.matches("bide.exec", worker:stop(), 1, true)
    workspace:write("opens.lua", [[return { Get = { call = function() return { there = io.open "/etc/passwd" ~= nil } end,
      waitable = { Done = { acceptors = { { state = "success", matcher = { success = true } } } } } } }]])
    run = submit("opens.lua", "--max-wait=30s")
    work()
    assert.equal(5, watch(run).code)
  end)

  it("takes no files that differ from their manifest, nor names that lead elsewhere", function()
    for change, mistake in pairs {
      ["files = convert_to(replace(convert_from(files, 'UTF8'), 'done', 'evil'), 'UTF8')"] = "its files are broken",
      ["files = files || 'x'"] = "its files are broken", ["files = ''"] = "its files are broken",
      ["manifest = 'x'"] = "its manifest is broken", ["manifest = '', digest = sha256('')"] = "its manifest is broken",
      [ [[manifest = m, digest = sha256(convert_to(m, 'UTF8')) FROM (SELECT replace(manifest, 'lib/', '../') AS m
        FROM bide.bundle) x]] ] = "its files are broken",
      [ [[manifest = m, digest = sha256(convert_to(m, 'UTF8')) FROM (SELECT replace(manifest, ' lib/helper', '99999999999999 x')
        AS m FROM bide.bundle) x]] ] = "its manifest is broken",
    } do
      cluster:empty()
      cluster:admin("DELETE FROM bide.definition; DELETE FROM bide.bundle")
      local run = submit("jobs.lua", "--max-wait=30s")
      cluster:admin("UPDATE bide.bundle SET " .. change)
      local worker = work()
      assert.equal(75, watch(run, "--for", "0.7s").code, change)
      assert.matches(mistake, worker:stop(), 1, true)
    end
    cluster:admin("DELETE FROM bide.definition; DELETE FROM bide.bundle")
  end)

  it("submits, watches and works in one command, and runs only its own recipe there", function()
    cluster:let_work "ada"
    submit("tcp", "127.0.0.1:" .. cluster.port, "--max-wait=30s")
    local done = workspace:bide { "run", "jobs.lua", "--max-wait=30s", "--store", cluster:url "ada", "--work", "--quiet", "--",
      "echo", "ran" }
    assert.same({ 0, "ran\n" }, { done.code, done.stdout:match "[^\n]*\n$" })
    assert.matches("leaves waits of PortOpen to others: they are not of this run", done.stderr, 1, true)
    assert.equal("1", cluster:admin("SELECT sum(open) FROM bide.run"))
  end)

  it("takes no recipe that is too large", function()
    workspace:write("lib/helper.lua", "--" .. ("x"):rep(1 << 20))
    assert_mistake("bytes with its modules: a store takes at most 1048576", workspace:bide { "submit", "jobs.lua",
      "--max-wait=50s", "--store", cluster:url "ada" })
    local names = {}
    for number = 1, 64 do
      names[number] = ('require "m%d"'):format(number)
      workspace:write(("m%d.lua"):format(number), "")
    end
    workspace:write("many.lua", table.concat(names, "\n") .. "\n" .. recipe:gsub("lib.helper", "m1"))
    assert_mistake("65 files with its modules: a store takes at most 64", workspace:bide { "submit", "many.lua",
      "--max-wait=50s", "--store", cluster:url "ada" })
    assert.equal("0", cluster:admin("SELECT count(*) FROM bide.run"))
  end)

  it("refuses what does not fit a database", function()
    local environment = { AWS_REGION = "eu-west-1", AWS_ACCESS_KEY_ID = "AKIDEXAMPLE", AWS_SECRET_ACCESS_KEY = "x" }
    for text, words in pairs {
      ["a password in the URL is seen"] = { "jobs", "list", "--store",
        ("postgres://locked:secret@127.0.0.1:%d/postgres"):format(cluster.port) },
      ["a sandboxed worker reaches no socket of this machine, as /tmp/.s.PGSQL.5432 is"] =
        { "worker", "--store", "postgres://wim@%2Ftmp/postgres" },
      ["a worker without a sandbox needs --trust FILE"] = { "worker", "--store", cluster:url "wim", "--trusted" },
      ["--trust: belongs to --trusted"] = { "worker", "--store", cluster:url "wim", "--trust", "good" },
      ["--sandbox: this worker runs recipes without a sandbox"] =
        { "worker", "--store", cluster:url "wim", "--trusted", "--trust", "good", "--sandbox" },
      ['bad:2: expected sha256: and 64 hexadecimal digits, or shipped:NAME, found "sha256:12"'] =
        { "worker", "--store", cluster:url "wim", "--distrust", "bad" },
      ['expected the name of a bundled recipe, found "nothing"'] =
        { "worker", "--store", cluster:url "wim", "--distrust", "unknown" },
      ["nowhere: no such file"] = { "worker", "--store", cluster:url "wim", "--distrust", "nowhere" },
      ["a worker of a file runs the recipes of its own user"] = { "worker", "--store", "f.db", "--trusted" },
      ["bide store grant nobody --queue QUEUE"] = { "jobs", "list", "--store", cluster:url "nobody" },
      ["the role ada may not submit to the queue other"] =
        { "submit", "jobs.lua", "--max-wait=50s", "--queue=other", "--store", cluster:url "ada" },
      ["a database sends recipes to its workers, and no data of AWS"] =
        { "submit", "aws:rds", "DBInstanceAvailable", "DBInstanceIdentifier=x", "--max-wait=50s", "--store", cluster:url "ada" },
      ["who: a store keeps no secrets"] =
        { "submit", "jobs.lua", "who=https://me:secret@host/", "--max-wait=50s", "--store", cluster:url "ada" },
    } do
      workspace:write("good", "shipped:http")
      workspace:write("bad", "shipped:http\nsha256:12\n")
      workspace:write("unknown", "shipped:nothing")
      assert_mistake(text, workspace:bide(words, { env = environment }))
    end
    assert.equal("0", cluster:admin("SELECT count(*) FROM bide.run"))
  end)
end)
