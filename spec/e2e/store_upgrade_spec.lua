---Two releases on one store: this one, and one that is a form of states and a version of the schema ahead. An upgrade, the way
---back, and what an older worker does with states that it cannot read.

local Cluster = require "spec.support.store_cluster"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local core = require "bide.core"
local luv = require "luv"
local process = require "spec.support.process"

local cluster = Cluster.of_block()
if not cluster then return end

---How many requests each wait makes at least.
local ATTEMPTS = 6

local asking = [[
local http = require "bide.http"
return { Ask = {
  idempotencyToken = "token",
  input = { url = { type = "string", required = true }, token = { type = "string" } },
  call = function(input) return http.get(input.url .. "/" .. input.token) end,
  waitable = { Asked = { minDelay = 0.05, maxDelay = 0.2, acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "done" } } },
  } } },
} }
]]

describe("an upgrade of a store", function()
  local workspace = Workspace.of_block()
  local server, workers, is_held, requests
  local this_bide = assert(luv.fs_realpath(process.bide))
  local next_bide = assert(luv.fs_realpath(process.build .. "/next/bide"))

  setup(function()
    cluster:admin("CREATE ROLE ada LOGIN; CREATE ROLE wim LOGIN")
    workspace:write("asking.lua", asking)
  end)
  before_each(function()
    cluster:admin "DROP SCHEMA IF EXISTS bide CASCADE"
    workers, requests, is_held = {}, {}, false
    server = Server.start(function(request)
      local count = (requests[request.target] or 0) + 1
      requests[request.target] = count
      local state = count >= ATTEMPTS and not is_held and "done" or "waiting"
      return { headers = { ["Content-Type"] = "application/json" }, body = core.json.encode { state = state } }
    end)
    workspace:write("ten.jsonl", (assert(core.json.encode { url = server.url }) .. "\n"):rep(10))
  end)
  local function stop(worker)
    if not worker.code then worker:kill "sigterm" end
    worker:wait()
  end
  after_each(function()
    for _, worker in ipairs(workers) do stop(worker) end
    server:close()
  end)

  ---Runs a command of one of the two releases.
  local function run(bide, ...)
    return process.run({ bide, ... }, { cwd = workspace.path })
  end

  ---Runs `bide store`.
  local function store(bide, ...)
    local done = run(bide, "store", "--store=" .. cluster:url "postgres", ...)
    return done.code, (done.code == 2 and done.stderr or done.stdout):match "^[^\n]*"
  end

  ---What `bide store check` finds; its other findings are those of a server of a spec.
  local function findings(bide)
    return run(bide, "store", "check", "--store=" .. cluster:url "postgres").stdout
  end

  local function init(bide)
    assert.equal(0, (store(bide, "init")))
    for _, words in ipairs { { "ada", "--submit" }, { "wim", "--work" } } do
      run(bide, "store", "grant", words[1], words[2], "--store=" .. cluster:url "postgres"):ends(0)
    end
  end

  ---Waits until something holds, for half a minute at most.
  local function await(holds)
    local deadline = luv.hrtime() + 30e9
    while not holds() do
      for _, worker in ipairs(workers) do assert(not worker.code or worker.code == 0, worker.stderr) end
      if luv.hrtime() > deadline then error("it did not happen within 30 s: " .. workers[#workers].stderr) end
      local timer = luv.new_timer()
      timer:start(50, 0, function() timer:close() end)
      luv.run "once"
    end
  end

  local function work(bide)
    local before = cluster:admin "SELECT array_agg(id) FROM bide.worker"
    local worker = process.start({ bide, "worker", "--store", cluster:url "wim", "--allow-net", "127.0.0.1", "--jobs", "4" },
      { cwd = workspace.path, longest = 600 })
    table.insert(workers, worker)
    local others = "SELECT count(*) FROM bide.worker WHERE id <> ALL ('{" .. before:sub(2, -2) .. "}')"
    await(function() return cluster:admin(others) == "1" end)
    return worker
  end

  local function submit(bide)
    local done = run(bide, "submit", "asking.lua", "--each", "ten.jsonl", "--max-wait", "5m", "--keep-going", "--quiet",
      "--store", cluster:url "ada")
    assert.equal(0, done.code, done.stderr)
    return (done.stdout:gsub("\n", ""))
  end

  local function has_ended(id) return cluster:admin("SELECT ended IS NOT NULL FROM bide.run WHERE id = " .. id) == "t" end

  ---A run has succeeded, and each of its attempts is recorded once.
  local function check(id)
    await(function() return has_ended(id) end)
    assert.equal("10|10|success", cluster:admin("SELECT waits, succeeded, outcome FROM bide.run WHERE id = " .. id))
    assert.equal("0", cluster:admin([[SELECT count(*)
      FROM (SELECT w.id FROM bide.wait w LEFT JOIN bide.attempt a ON a.wait = w.id WHERE w.run = %s
        GROUP BY w.id HAVING count(*) <> w.attempts OR count(DISTINCT a.attempt) <> w.attempts
          OR max(a.attempt) <> w.attempts) x]], id))
  end

  local function forms()
    return cluster:admin "SELECT string_agg(DISTINCT format::text, ',' ORDER BY format::text) FROM bide.turn"
  end

  ---Waits until each wait has had an attempt.
  local function await_attempts()
    await(function() return cluster:admin "SELECT coalesce(min(attempts), 0) > 0 FROM bide.turn" == "t" end)
  end

  it("lets both releases work together, and go back to the older one", function()
    init(this_bide)
    local old = work(this_bide)
    local first = submit(this_bide)
    assert.same({ 0, "version 2, before 1" }, { store(next_bide, "migrate") })
    assert.same({ 0, "version 2: nothing to do" }, { store(next_bide, "migrate") })
    assert.matches("the schema has version 2, this bide knows 1", findings(this_bide), 1, true)
    local new = work(next_bide)
    check(first)
    is_held = true
    local second = submit(next_bide)
    await_attempts()
    assert.equal("1", forms())
    local code, words = store(next_bide, "migrate", "--finish")
    assert.equal(2, code)
    assert.matches("is of bide %S+, which does not read states of form 2", words)
    assert.matches("states are written in form 1, and this bide knows 2", findings(next_bide), 1, true)
    stop(new) -- back: the older one continues what the newer one has begun
    is_held = false
    check(second)
    check(submit(this_bide))
    assert.is_nil(old.code)
  end)

  it("ends once every worker reads what is written, after which an older one leaves that alone", function()
    init(this_bide)
    local old = work(this_bide)
    is_held = true
    local first = submit(this_bide)
    await_attempts()
    assert.same({ 2, "bide: the schema is of an older bide: run bide store migrate --store URL first" },
      { store(next_bide, "migrate", "--finish") })
    store(next_bide, "migrate")
    stop(old)
    assert.equal("1", forms())
    assert.same({ 0, "states are written in form 2, before 1" }, { store(next_bide, "migrate", "--finish") })
    assert.same({ 0, "states are written in form 2: nothing to do" }, { store(next_bide, "migrate", "--finish") })
    local new = work(next_bide)
    await(function() return forms() == "2" end)
    stop(new)
    old = work(this_bide)
    old:wait_for_output "states of form 2, and this worker reads up to 1: it leaves their waits to newer workers"
    assert.matches("does not read states of form 2, which the store has", findings(next_bide), 1, true)
    is_held = false
    check(submit(this_bide)) -- of the older worker alone
    assert.is_false(has_ended(first))
    assert.equal("2", forms())
    work(next_bide)
    check(first)
  end)

  it("waits two seconds for a lock, and changes nothing then", function()
    init(this_bide)
    local function assert_waits(...)
      local release, before = cluster:hold "SELECT FROM bide.meta FOR UPDATE", luv.hrtime()
      local code, said = store(next_bide, "migrate", ...)
      local seconds = (luv.hrtime() - before) / 1e9
      release()
      assert.equal(2, code)
      assert.matches("lock timeout", said)
      assert.is_true(seconds >= 2 and seconds < 10, seconds)
    end
    assert_waits()
    assert.same({ 0, "version 2, before 1" }, { store(next_bide, "migrate") })
    assert_waits "--finish"
    assert.equal("2|1", cluster:admin "SELECT version, writes_format FROM bide.meta")
  end)

  it("begins with the newest version, which the older release can use", function()
    init(next_bide)
    assert.same({ 0, "version 2: nothing to do" }, { store(next_bide, "migrate") })
    work(this_bide)
    check(submit(this_bide))
  end)
end)
