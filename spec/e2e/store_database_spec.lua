---The outcomes of waits of a store in PostgreSQL, which two workers make, and what they do with a run together.

local Cluster = require "spec.support.store_cluster"
local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local core = require "bide.core"
local luv = require "luv"
local outcomes = require "spec.support.store_outcomes"

local cluster = Cluster.installed()
if not cluster then return end
setup(function()
  cluster:admin([[GRANT bide_worker TO ada; INSERT INTO bide.queue (name) VALUES ('local');
    INSERT INTO bide.queue_grant (role, queue, may_submit, may_work) SELECT 'ada', id, true, true FROM bide.queue
    WHERE name = 'local']])
end)

local workspace, workers

---Starts two workers.
local function begin()
  workspace, workers = Workspace.make(), {}
  for position = 1, 2 do
    workers[position] = workspace:start({ "worker", "--store", cluster:url "wim", "--quiet", "--allow-net", "127.0.0.1" },
      { longest = 600 })
    workers[position]:hold_loop(false)
  end
end

local function finish()
  for _, worker in ipairs(workers) do
    worker:kill "sigterm"
    worker:wait()
  end
  workspace:remove()
end

outcomes("a database", {
  words = function(_, words) -- the sandbox of the workers lacks files, programs and sockets of this machine
    local is_local = words:find "^file" or words:find "^command" or words:find "^unix"
    return { "--store", cluster:url "ada", is_local and "--queue=local" or nil, is_local and "--work" or nil }
  end,
  setup = begin, teardown = finish,
}, _ENV)

local asking = [[
local http = require "bide.http"
return { Ask = {
  input = { url = { type = "string", required = true }, name = { type = "string", required = true } },
  call = function(input) return http.get(input.url .. "/" .. input.name) end,
  waitable = { Asked = { minDelay = 0.05, maxDelay = 0.2, acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "done" } } },
  } } },
} }
]]

describe("the workers of a database", function()
  local folder = Workspace.of_each()
  local server, open, most, ends_after

  setup(begin)
  teardown(finish)
  before_each(function()
    open, most, ends_after = {}, 0, 3
    folder:write("asking.lua", asking)
    local counts = {}
    server = Server.start(function(request)
      local name = request.target
      counts[name] = (counts[name] or 0) + 1
      local is_done = counts[name] >= ends_after
      open[name] = not is_done or nil
      local now = 0
      for _ in pairs(open) do now = now + 1 end
      most = math.max(most, now)
      return { headers = { ["Content-Type"] = "application/json" },
        body = core.json.encode { state = is_done and "done" or "waiting" } }
    end)
    local lines = {}
    for number = 1, 12 do lines[number] = ('{"url":"%s","name":"n%d"}\n'):format(server.url, number) end
    folder:write("twelve.jsonl", table.concat(lines))
  end)
  after_each(function() server:close() end)

  ---Asks the server until the answer has a form.
  local function ask_until(pattern, sql)
    local answer
    for _ = 1, 200 do
      answer = cluster:admin(sql)
      if answer:find(pattern) then break end
      luv.sleep(50)
    end
    assert.matches(pattern, answer)
    return answer
  end

  it("name their sessions by their ids, also after a lost connection", function()
    local two = "^bide%-worker/%d+ bide%-worker/%d+$"
    local names = [[SELECT string_agg(DISTINCT application_name, ' ' ORDER BY application_name) FROM pg_stat_activity
      WHERE usename = 'wim']]
    local expected = ask_until(two, [[SELECT string_agg('bide-worker/' || id, ' ' ORDER BY 'bide-worker/' || id)
      FROM bide.worker WHERE lease > bide.clock()]])
    assert.equal(expected, ask_until(two, names))
    cluster:admin("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'wim'")
    assert.equal(expected, ask_until(two, names))
  end)

  it("keep the name that the user gives to their sessions", function()
    local url = cluster:url "wim" .. "?application_name=night"
    local worker = folder:start({ "worker", "--store", url, "--quiet" })
    worker:hold_loop(false)
    ask_until("^3$", "SELECT count(*) FROM bide.worker WHERE lease > bide.clock()")
    ask_until("^2$", "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'night'")
    worker:kill "sigterm"
    worker:wait()
  end)

  local function run_of(...)
    local words = { "submit", "asking.lua", "--each", "twelve.jsonl", "--max-wait", "30s", "--store", cluster:url "ada", ... }
    local done = folder:bide(words)
    assert.equal(0, done.code, done.stderr)
    return done.stdout:match "^%d+"
  end

  local function watch(run)
    local done = folder:bide { "watch", run, "--store", cluster:url "ada", "--quiet", "--output", "json" }
    return done.code, core.json.decode(done.stdout)
  end

  it("make the waits of a run together", function()
    local code, fleet = watch(run_of())
    assert.same({ 0, 12, 12 }, { code, fleet.succeeded, fleet.waits or #fleet.outcomes })
    assert.equal("2", cluster:admin("SELECT count(*) FROM bide.worker WHERE kind = 'sandboxed'"))
  end)

  it("open as many waits of a run at a time as --jobs says, all of them together", function()
    local code, fleet = watch(run_of("--jobs", "3"))
    assert.same({ 0, 12 }, { code, fleet.succeeded })
    assert.is_true(most <= 3, most)
  end)

  it("end a run when --any and --some have what they need", function()
    local code, fleet = watch(run_of "--any")
    assert.same({ 0, "success", 1 }, { code, fleet.state, fleet.needed })
    code, fleet = watch(run_of("--some", "5"))
    assert.same({ 0, "success", 5 }, { code, fleet.state, fleet.needed })
    assert.is_true(fleet.succeeded >= 5)
  end)

  it("are listed, and a run is cancelled", function()
    ends_after = 1000000
    local run = run_of()
    local listed = folder:bide { "workers", "--store", cluster:url "ada", "--output", "json" }
    assert.equal(0, listed.code, listed.stderr)
    assert.equal(2, #core.json.decode(listed.stdout).workers)
    local shown = folder:bide { "jobs", "show", run, "--store", cluster:url "ada" }
    assert.equal(12, #core.json.decode(shown.stdout).waits)
    assert.equal(2, folder:bide({ "watch", run, "--store", cluster:url "bob" }).code)
    assert.equal(2, folder:bide({ "jobs", "cancel", run, "--store", cluster:url "bob" }).code)
    assert.equal(0, folder:bide({ "jobs", "cancel", run, "--store", cluster:url "ada" }).code)
    assert.equal(1, folder:bide({ "jobs", "cancel", run, "--store", cluster:url "ada" }).code)
    local code, fleet = watch(run)
    assert.same({ 143, 12 }, { code, fleet.cancelled })
    assert.equal(0, folder:bide({ "jobs", "prune", run, "--store", cluster:url "ada" }).code)
    assert.equal(2, folder:bide({ "watch", run, "--store", cluster:url "ada" }).code)
  end)
end)
