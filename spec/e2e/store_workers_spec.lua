---Workers of one file: what they do together, and what becomes of the waits of one that is killed.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local core = require "bide.core"
local journal = require "spec.support.journal"
local leftovers = require "spec.support.leftovers"
local turns = require "spec.support.turns"
local luv = require "luv"

require "bide"

local constant = [[
return { Count = {
  call = function(input) return { n = input.n, state = "waiting" } end,
  waitable = { Counted = { minDelay = 0.05, maxDelay = 0.2, acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "x" } } },
  } } },
} }
]]

local asking = [[
local http = require "bide.http"
return { Ask = {
  idempotencyToken = "token",
  call = function(input) return http.get(input.url, { headers = { Token = input.token } }) end,
  waitable = { Asked = { minDelay = %s, maxDelay = %s, acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "done" } } },
  } } },
} }
]]

---Turns the loop until something holds, for a minute at most.
describe("the workers of a file", function()
  local workspace = Workspace.of_each()
  local server, asked, answer, started

  before_each(function()
    asked, started = {}, {}
    answer = function(count) return count >= 3 and "done" or "waiting" end
    server = Server.start(function(request)
      local token = request.headers.token
      asked[token] = (asked[token] or 0) + 1
      local state = answer(asked[token])
      return { headers = { ["Content-Type"] = "application/json" }, silent = state == nil,
        body = core.json.encode { state = state } }
    end)
    workspace:write("constant.lua", constant)
    workspace:write("asking.lua", asking:format("0.05", "0.2"))
    workspace:write("slow.lua", asking:format("1.5", "1.5"))
  end)
  after_each(function()
    for _, process in ipairs(started) do
      if not process.code then
        luv.kill(process.pid, "sigkill")
        process:wait()
      end
    end
    server:close()
    assert.is_nil(leftovers.find())
  end)

  local file = "waits.db"

  local function worker(...)
    local process = workspace:start { "worker", "--store", file, ... }
    started[#started + 1] = process
    return process
  end

  local function bide(...) return workspace:bide { ... } end

  ---Submits as many waits, and returns the number of their run.
  local function submit(recipe, count, ...)
    local lines = {}
    for number = 1, count do
      lines[number] = recipe == "constant.lua" and ('{"n": %d}'):format(number) or ('{"url": "%s/%d"}'):format(server.url, number)
    end
    workspace:write("lines.jsonl", table.concat(lines, "\n"))
    local done = bide("submit", recipe, "--each", "lines.jsonl", "--store", file, "--max-wait", "60s", "--quiet", ...)
    assert.same({ 0, "" }, { done.code, done.stderr })
    return done.stdout:match "^(%d+)\n$"
  end

  local function query(sql, ...) return journal.query(workspace.path .. "/" .. file, sql, ...) end

  ---Each attempt of a run is recorded once, without a hole.
  local function check_attempts(run)
    local rows = query([[SELECT w.id, w.attempts, count(a.attempt) AS count, max(a.attempt) AS last, min(a.attempt) AS first
      FROM store_wait w LEFT JOIN store_attempt a ON a.wait = w.id WHERE w.run = ? GROUP BY w.id]], math.tointeger(run))
    for _, row in ipairs(rows) do
      assert.same({ row.attempts, row.attempts, 1 }, { row.count, row.last, row.first })
    end
    return #rows
  end

  local function watch(run, ...) return bide("watch", run, "--store", file, "--quiet", ...) end

  it("make each attempt of some hundred waits once", function()
    local first, second = worker(), worker()
    local counted = submit("constant.lua", 300, "--max-attempts", "3", "--keep-going")
    local asking_run = submit("asking.lua", 100)
    assert.same({ 4, "" }, { watch(counted).code, watch(counted).stdout })
    local done = watch(asking_run, "--output", "json")
    assert.equal(0, done.code, done.stderr)
    local outcome = core.json.decode(done.stdout)
    assert.same({ "success", 100, 100 }, { outcome.state, outcome.succeeded, #outcome.outcomes })
    assert.same({ 300, 100 }, { check_attempts(counted), check_attempts(asking_run) })
    local tokens = 0
    for _, count in pairs(asked) do
      tokens = tokens + 1
      assert.equal(3, count)
    end
    assert.equal(100, tokens)
    for _, process in ipairs { first, second } do
      luv.kill(process.pid, "sigterm")
      process:wait()
      assert.same({ 0, "" }, { process.code, process.stdout })
    end
    assert.same({}, query "SELECT id FROM worker")
  end)

  it("go on with the waits of one that is killed", function()
    answer = function(count) return count >= 4 and "done" or "waiting" end
    local run = submit("asking.lua", 60)
    local first, killed = worker("--jobs", "40"), worker("--jobs", "40")
    turns.await(function() return (next(asked) and asked[next(asked)] or 0) >= 2 end)
    luv.kill(killed.pid, "sigkill")
    killed:wait()
    local done = watch(run, "--output", "json")
    assert.equal(0, done.code, done.stderr)
    assert.equal(60, core.json.decode(done.stdout).succeeded)
    assert.equal(60, check_attempts(run))
    local tokens = 0
    for _, count in pairs(asked) do
      tokens = tokens + 1
      assert.is_true(count >= 4 and count <= 6, count) -- what the killed one had begun is made twice, with the same token
    end
    assert.equal(60, tokens)
    assert.is_nil(first.code)
  end)

  it("give back what they hold at a signal, within a second", function()
    answer = function() return "waiting" end
    submit("slow.lua", 20)
    local first = worker()
    turns.await(function() return next(asked) end)
    local began = luv.hrtime()
    luv.kill(first.pid, "sigterm")
    first:wait()
    assert.equal(0, first.code)
    assert.is_true((luv.hrtime() - began) / 1e9 < 2)
    assert.same({ { count = 20 } }, query "SELECT count(*) AS count FROM turn WHERE worker IS NULL")
  end)

  it("end at the second signal while attempts are let end", function()
    answer = function() return nil end
    submit("asking.lua", 1)
    local first = worker("--drain", "30s")
    turns.await(function() return #server.requests > 0 end)
    luv.kill(first.pid, "sigterm")
    local timer = luv.new_timer()
    timer:start(300, 0, function()
      timer:close()
      luv.kill(first.pid, "sigint")
    end)
    first:wait()
    assert.equal(130, first.code)
  end)

  it("leave waits alone whose recipe is not the one that was submitted", function()
    local run = submit("constant.lua", 1, "--max-attempts", "2")
    workspace:write("constant.lua", constant .. "-- changed")
    local first = worker()
    watch(run, "--for", "1s"):says(75, ("run %s continues; watch it again:  bide watch %s --store waits.db"):format(run, run))
    luv.kill(first.pid, "sigterm")
    first:wait()
    assert.matches("leaves waits of Counted to others: /[^\n]+/constant.lua is not the file that was submitted", first.stderr)
    workspace:write("constant.lua", constant)
    worker()
    assert.equal(4, watch(run).code)
  end)

  it("end a wait whose rows are broken, and go on with the others", function()
    local run = submit("constant.lua", 6, "--max-attempts", "2", "--keep-going")
    query "UPDATE store_wait SET input = '{' WHERE position = 1"
    query "UPDATE turn SET format = 1, attempts = 3, state = 'xyz' WHERE id = 2"
    query "UPDATE turn SET attempts = -1 WHERE id = 3"
    query "UPDATE turn SET format = 99, attempts = 1, state = 'xyz' WHERE id = 4"
    query "UPDATE store_wait SET definition = (SELECT max(id) + 1 FROM definition) WHERE 0"
    worker()
    local done = watch(run, "--for", "3s")
    assert.equal(75, done.code) -- the wait of format 99 stays for a bide that reads it
    local shown = core.json.decode(bide("jobs", "show", run, "--store", file).stdout)
    local reasons = {}
    for position, wait in ipairs(shown.waits) do reasons[position] = wait.outcome and wait.outcome.reason or "open" end
    assert.same({ "scriptError", "scriptError", "scriptError", "open", "maxAttempts", "maxAttempts" }, reasons)
  end)
end)
