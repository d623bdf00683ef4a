---What a store wrote could be larger than what its readers take: `bide watch` ended with 70 beside a success whose output had
---some megabytes, or whose run had above 64 MiB of outcomes, and `jobs show` with 2; a claim of large inputs was refused again
---and again, and filled the memory of the worker.

local Cluster = require "spec.support.store_cluster"
local Workspace = require "spec.support.workspace"
local core = require "bide.core"
local measure = require "spec.bench.store.measure"
local process = require "spec.support.process"

local recipe = [[
return { Look = {
  call = function(input)
    local answer = { state = "there" }
    for number = 1, input.parts do answer["part" .. number] = ("y"):rep(900000) end
    if input.fails then error { type = "Large", message = "m", status = 500, body = answer } end
    return answer
  end,
  waitable = { Seen = { minDelay = 0.02, maxDelay = 0.05, acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "there" } } },
    { state = "retry", matcher = { errorType = "Large" } },
  } } },
} }
]]

local cluster, missing = Cluster.start()

describe("a store", function()
  local workspace = Workspace.of_each()

  setup(function()
    if not cluster then return end
    cluster:install()
    cluster:let_work "ada"
  end)
  teardown(function() if cluster then cluster:stop() end end)
  before_each(function() workspace:write("look.lua", recipe) end)

  local function each_store(check)
    check("file", "s.db")
    if not cluster then return end
    cluster:empty()
    check("PostgreSQL", cluster:url "ada")
  end

  ---Runs waits that this process makes, and returns what `watch` prints.
  local function run(url, code, ...)
    local done = workspace:bide({ "run", "look.lua", "--max-wait", "5m", "--work", "--quiet", "--store", url, "--output", "json",
      ... }, { longest = 310 })
    assert.equal(code, done.code, done.stderr:sub(1, 2000))
    return core.json.decode(done.stdout)
  end

  it("keeps a note in the place of a large output or error", function()
    each_store(function(name, url)
      local outcome = run(url, 0, "parts:=8")
      assert.same({ "success", "[left out: 7.2 MB]" }, { outcome.state, outcome.output }, name)
      outcome = run(url, 4, "parts:=8", "fails:=true", "--max-attempts", "2")
      local left = { type = "Large", status = 500, message = "[left out: 7.2 MB]" }
      assert.same({ "maxAttempts", left, 2 }, { outcome.reason, outcome.error, #outcome.history }, name)
      assert.same({ left, left }, { outcome.history[1].error, outcome.history[2].error }, name)
      outcome = run(url, 0, "parts:=1")
      assert.equal(900000, #outcome.output.part1, name)
    end)
  end)

  it("claims what there is room for", function()
    if not cluster then return pending(missing) end
    cluster:empty()
    cluster:sql("ada", (Cluster.submission { waits = 50 }:gsub("'{\"i\":' || i || '}'",
      "'{\"i\":\"' || repeat('z', 250000) || '\"}'")))
    local me = cluster:enter()
    for _ = 1, 10 do assert.equal(5, #cluster:claim(me)) end -- the first above 1 MiB is the last
    assert.equal(0, #cluster:claim(me))
  end)

  it("has workers that take 64 MB, whatever sleeps", function()
    if not cluster then return pending(missing) end
    if process.is_sanitized then return end
    for _, input in ipairs { ('{"parts":0,"text":"%s"}'):format(("z"):rep(250000)),
      ('{"parts":0,"list":[%s1]}'):format(("1,"):rep(125000)) } do
      cluster:empty()
      workspace:write("lines", (input .. "\n"):rep(100))
      local url = cluster:url "ada"
      local done = workspace:bide { "submit", "look.lua", "--each", "lines", "--until", "state=gone", "--interval", "0.3s",
        "--max-wait", "1h", "--store", url }
      assert.equal(0, done.code, done.stderr)
      local worker = workspace:start { "worker", "--store", url, "--quiet" }
      worker:hold_loop(false)
      repeat
        measure.pass(0.2)
        assert.is_nil(worker.code, worker.stderr)
      until tonumber(cluster:admin "SELECT sum(attempts) FROM bide.turn") >= 100
      local most = measure.memory_of_family(worker.pid)
      worker:stop()
      assert.is_true(most <= 64, most .. " MB")
    end
  end)

  it("lists what there is room for", function()
    if not cluster then return pending(missing) end
    cluster:empty()
    local url = cluster:url "ada"
    workspace:write("lines", ('{"parts":0}\n'):rep(70))
    assert.equal(70, #run(url, 0, "--each", "lines").outcomes)
    cluster:admin([[UPDATE bide.wait SET outcome = left(outcome, -1) || ',"more":"' || repeat('m', 1000000) || '"}']])
    local of_run = cluster:admin("SELECT max(id) FROM bide.run")
    local done = workspace:bide { "watch", of_run, "--quiet", "--store", url }
    assert.same({ 0, "70 of 70 waits succeeded, 0 failed, 0 cancelled; 70 needed\n" }, { done.code, done.stdout }, done.stderr)
    done = workspace:shell(('"$BIDE" jobs show %s --store %s | grep -c \'"outcome"\''):format(of_run, url))
    assert.same({ "70\n", "" }, { done.stdout, done.stderr })
  end)

  it("refuses a token that others could not claim", function()
    if not cluster then return pending(missing) end
    cluster:empty()
    local state, message = cluster:failure("ada", (Cluster.submission():gsub("'t' || i", "repeat('t', 1025)")))
    assert.same({ "BD005", "a token has at most 1024 bytes" }, { state, message })
  end)
end)
