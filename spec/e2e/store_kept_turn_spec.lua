---A worker that stands still while it keeps a turn, whose deadline passes meanwhile: the wait has ended then, whatever its
---service would answer now.

local Cluster = require "spec.support.store_cluster"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local core = require "bide.core"
local turns = require "spec.support.turns"
local luv = require "luv"

---The delays are below a second, so the worker keeps the turn between two attempts.
local recipe = [[
local http = require "bide.http"
return { Ask = {
  call = function(input) return http.get(input.url) end,
  waitable = { Asked = { minDelay = 0.6, maxDelay = 0.9, acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "done" } } },
  } } },
} }
]]

---@return integer
local function child_of(pid)
  local children <close> = assert(io.open(("/proc/%d/task/%d/children"):format(pid, pid)))
  return children:read "n"
end

describe("a worker that stands still with a turn that it keeps", function()
  local workspace = Workspace.of_each()
  local server, asked, asked_other, state

  before_each(function()
    asked, asked_other, state = 0, false, "waiting"
    workspace:write("ask.lua", recipe)
    server = Server.start(function(request)
      if request.path == "/" then asked = asked + 1 else asked_other = true end
      return { headers = { ["Content-Type"] = "application/json" }, body = core.json.encode { state = state } }
    end)
  end)
  after_each(function() server:close() end)

  ---@return string run
  local function submit(store, path, max_wait)
    local done = workspace:bide { "submit", "ask.lua", "url=" .. server.url .. path, "--max-wait", max_wait, "--store", store }
    assert.equal(0, done.code, done.stderr)
    return done.stdout:match "%d+"
  end

  ---Stops a worker between two attempts until the deadline is over, and asserts how the wait ends.
  local function assert_over(of_submit, of_worker, ...)
    submit(of_submit, "/other", "1h")
    local worker = workspace:start { "worker", "--store", of_worker, "--quiet", ... }
    worker:hold_loop(false)
    turns.await(function() return asked_other or worker.code end)
    local run = submit(of_submit, "/", "6s")
    turns.await(function() return asked == 2 or worker.code end)
    assert.is_nil(worker.code, worker.stderr)
    turns.pass(150) -- what it has seen is written, and the turn sleeps in its hand
    local child = child_of(worker.pid)
    luv.kill(child, "sigstop")
    turns.pass(6500)
    state = "done"
    luv.kill(child, "sigcont")
    local done = workspace:bide { "watch", run, "--store", of_submit, "--quiet", "--output", "json" }
    worker:kill "sigterm"
    assert.equal(0, worker:wait().code, worker.stderr)
    assert.same({ 124, 2 }, { done.code, asked }, done.stdout .. done.stderr .. worker.stderr)
    local outcome = core.json.decode(done.stdout)
    assert.same({ "failure", "maxWait", 2, "waiting" },
      { outcome.state, outcome.reason, outcome.attempts, outcome.output.state }, done.stdout)
    local made = {}
    for position, entry in ipairs(outcome.history) do made[position] = entry.attempt end
    assert.same({ 1, 2 }, made)
    assert.is_true(outcome.elapsed >= 6, done.stdout)
  end

  it("ends the wait at its deadline: a file", function()
    assert_over("waits.db", "waits.db")
  end)

  it("ends the wait at its deadline: PostgreSQL", function()
    local cluster, missing = Cluster.start()
    if not cluster then return pending(missing) end
    cluster:install()
    local ok, fault = pcall(assert_over, cluster:url "ada", cluster:url "wim", "--allow-net", "127.0.0.1")
    cluster:stop()
    assert(ok, fault)
  end)
end)
