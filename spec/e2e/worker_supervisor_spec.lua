---The supervisor of a worker, and what becomes of waits whose code ends the process that runs it.

local Workspace = require "spec.support.workspace"
local core = require "bide.core"
local journal = require "spec.support.journal"
local leftovers = require "spec.support.leftovers"
local turns = require "spec.support.turns"
local luv = require "luv"
local process = require "spec.support.process"

require "bide"

---Counts its attempts in a file. `how` names what ends the process, at which attempt it does.
local recipe = [[
local luv = require "luv"
local function note(input)
  local file = assert(io.open(input.log, "a"))
  file:write(input.n, "\n")
  file:close()
end
local function made(input)
  local count = 0
  for line in io.lines(input.log) do count = count + (tonumber(line) == input.n and 1 or 0) end
  return count
end
local ways = {
  signal = function() luv.kill(luv.os_getpid(), "sigsegv") end,
  module = function() require "crash" () end,
  exit = function() require "crash" (0) end,
  twice = function(input) if made(input) < 3 then luv.kill(luv.os_getpid(), "sigabrt") end end,
  long = function() require "crash" (-1) end,
}
return { Count = {
  call = function(input)
    note(input)
    if ways[input.how] then ways[input.how](input) end
    return { n = input.n, state = "waiting" }
  end,
  waitable = { Counted = { minDelay = 0.05, maxDelay = 0.2, acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "x" } } },
  } } },
} }
]]

describe("the supervisor of a worker", function()
  local workspace = Workspace.of_each { ["count.lua"] = recipe }
  local worker
  after_each(function()
    if worker and not worker.code then
      luv.kill(worker.pid, "sigkill")
      worker:wait()
    end
    assert.is_nil(leftovers.find())
  end)

  local function bide(...) return workspace:bide { ... } end

  local function start(...)
    worker = workspace:start({ "worker", "--store", "waits.db", ... }, { env = { LUA_CPATH = workspace.path .. "/?.so;;" } })
    return worker
  end

  ---Submits innocent waits, and those that end their process in some way.
  local function submit(count, ways, ...)
    local lines = {}
    local function add(how)
      lines[#lines + 1] = core.json.encode { n = #lines + 1, how = how, log = workspace.path .. "/log" }
    end
    for _ = 1, count // 2 do add "none" end
    for _, how in ipairs(ways) do add(how) end
    for _ = 1, count - count // 2 do add "none" end
    workspace:write("lines.jsonl", table.concat(lines, "\n"))
    local done = bide("submit", "count.lua", "--each", "lines.jsonl", "--store", "waits.db", "--max-wait", "60s", "--quiet",
      "--keep-going", table.unpack(... and { ... } or { "--max-attempts", "2" }))
    assert.same({ 0, "" }, { done.code, done.stderr })
    return done.stdout:match "^(%d+)\n$"
  end

  local function outcomes_of(run)
    local done = bide("watch", run, "--store", "waits.db", "--quiet", "--output", "json")
    return core.json.decode(done.stdout), done.code
  end

  ---The child of a process.
  local function child_of(pid)
    local children = assert(io.open(("/proc/%d/task/%d/children"):format(pid, pid)))
    local child = children:read "n"
    children:close()
    return child
  end

  ---Asks the store; nothing is there before it was made, and while it is being made.
  local function query(sql, ...)
    local file = workspace.path .. "/waits.db"
    local ok, rows = pcall(journal.query, file, sql, ...)
    return ok and rows or {}
  end

  ---Builds the C module that ends its process, or never returns.
  local function build()
    if process.is_sanitized then pending "a sanitizer ends a process that crashes in its own way" end
    assert.is_true(os.execute(("cc -shared -fPIC $(pkg-config --cflags lua5.4) spec/support/crash.c -o '%s/crash.so'"):format(
      workspace.path)))
  end

  local function stop(signal)
    luv.kill(worker.pid, signal or "sigterm")
    worker:wait()
  end

  it("begins it again, and ends a wait whose code crashes three times, among a thousand others", function()
    if process.is_static then return pending "a program that is one file loads no C module that crashes" end
    build()
    start("--jobs", "50")
    local run = submit(1000, { "module" })
    local outcome, code = outcomes_of(run)
    assert.equal(5, code)
    local by_reason = {}
    for _, one in ipairs(outcome.outcomes) do by_reason[one.reason] = (by_reason[one.reason] or 0) + 1 end
    assert.same({ maxAttempts = 1000, scriptError = 1 }, by_reason)
    local struck = outcome.outcomes[501]
    assert.equal("its code ended the worker 3 times: " .. ("by signal 11 (Segmentation fault); "):rep(3):sub(1, -3),
      struck.message)
    local rows = query "SELECT attempts, count(*) AS waits FROM store_wait GROUP BY attempts ORDER BY attempts"
    assert.same({ { attempts = 0, waits = 1 }, { attempts = 2, waits = 1000 } }, rows)
    local asked = {}
    for line in io.lines(workspace.path .. "/log") do asked[line] = (asked[line] or 0) + 1 end
    assert.equal(3, asked["501"])
    for number, times in pairs(asked) do
      if number ~= "501" then assert.is_true(times >= 2 and times <= 3, number .. ": " .. times) end -- cut ones are made again
    end
    stop()
    assert.equal(0, worker.code)
    assert.matches("warning: the process of this worker ended by signal 11 %(Segmentation fault%): code of wait 501 of run "
      .. run .. " was running, which is strike 3 of 3\n", worker.stderr)
    assert.same({}, query "SELECT id FROM worker")
  end)

  it("counts an end without an error, and forgets strikes with an attempt that ends", function()
    if process.is_static then return pending "a program that is one file loads no C module that crashes" end
    build()
    start()
    local run = submit(2, { "exit", "twice" })
    local outcome = outcomes_of(run)
    local reasons = {}
    for position, one in ipairs(outcome.outcomes) do reasons[position] = one.reason end
    assert.same({ "maxAttempts", "scriptError", "maxAttempts", "maxAttempts" }, reasons)
    assert.equal("its code ended the worker 3 times: " .. ("with exit code 0; "):rep(3):sub(1, -3), outcome.outcomes[2].message)
    stop()
    assert.equal(0, worker.code)
  end)

  it("gives no strike to a wait whose call takes longer than the wait may", function()
    if process.is_static then return pending "a program that is one file loads no C module that crashes" end
    build()
    start()
    local run = submit(2, { "long" }, "--max-wait", "2s", "--max-attempts", "100", "--min-delay", "1s", "--max-delay", "1s")
    local outcome, code = outcomes_of(run)
    assert.equal(124, code)
    for _, one in ipairs(outcome.outcomes) do assert.equal("maxWait", one.reason) end
    stop()
    worker:says(0, "ended with exit code 124: no code of a wait was running")
  end)

  it("begins a killed one again within two seconds, while no code runs, without a strike", function()
    start()
    local run = submit(3, {}, "--max-attempts", "1000", "--min-delay", "500ms", "--max-delay", "500ms")
    local first
    turns.await(function()
      first = child_of(worker.pid)
      return (query("SELECT count(*) AS count FROM turn WHERE attempts >= 1")[1] or {}).count == 3
    end)
    local attempts = query("SELECT sum(attempts) AS count FROM turn")[1].count
    luv.kill(first, "sigkill")
    local killed = luv.hrtime()
    turns.await(function() return query("SELECT sum(attempts) AS count FROM turn")[1].count >= attempts + 3 end)
    assert.is_true((luv.hrtime() - killed) / 1e9 < 4) -- 2 s on a quiet machine
    assert.are_not.equal(first, child_of(worker.pid))
    assert.same({ { strikes = 0 } }, query "SELECT DISTINCT strikes FROM turn")
    assert.equal(0, bide("jobs", "cancel", run, "--store", "waits.db").code)
    stop()
    worker:says(0, "ended by signal 9 (Killed)")
  end)

  it("ends as a worker that was asked to end, or that cannot begin", function()
    bide("worker", "--store", "nothing:here"):ends(2)
    assert.equal(2, bide("worker", "--what").code)
    assert.equal(0, bide("worker", "--help").code)
    submit(2, {})
    start()
    turns.await(function() return #query "SELECT id FROM worker" == 1 end)
    luv.kill(child_of(worker.pid), "sigterm")
    worker:wait()
    assert.equal(0, worker.code)
    start()
    turns.await(function() return #query "SELECT id FROM worker" == 1 end)
    local child = child_of(worker.pid)
    stop "sigkill"
    turns.await(function() return luv.kill(child, 0) ~= 0 end)
  end)
end)
