---`--while RECIPE …`: a wait that has to hold as long as the other one.

local uv = require "luv"
local json = require("bide.core").json
local Workspace = require "spec.support.workspace"

---Answers with what a file says: "yes", "no" (a retry), "bad" (a failure); counts the attempts.
local recipe = [[
return { Read = {
  input = { name = { type = "string", required = true, positional = 1 } },
  call = function(input)
    local log <close> = io.open(input.name .. ".log", "a")
    log:write "."
    local file <close> = io.open(input.name)
    return { says = file and file:read "l" or "no" }
  end,
  waitable = { SaysYes = { minDelay = 0.05, maxDelay = 0.05, acceptors = {
    { state = "success", matcher = { output = { path = "says", comparator = "stringEquals", expected = "yes" } } },
    { state = "failure", matcher = { output = { path = "says", comparator = "stringEquals", expected = "bad" } } },
  } } },
} }]]

describe("--while", function()
  local workspace = Workspace.of_block { ["says.lua"] = recipe }

  before_each(function()
    for _, name in ipairs { "a", "b", "a.log", "b.log", "got" } do os.remove(workspace.path .. "/" .. name) end
  end)

  local function attempts_of(name)
    local file = io.open(("%s/%s.log"):format(workspace.path, name))
    local text = file and file:read "a" or ""
    if file then file:close() end
    return #text
  end

  local function words(...)
    return { "run", "./says.lua", "a", "--while", "./says.lua", "b", "--max-wait", "40s", ... }
  end

  ---Turns the loop until a wait of the program has made some attempts.
  local function await_attempts(running, name, count)
    while attempts_of(name) < count do
      assert(not running.code, running.stderr)
      uv.run "nowait"
      uv.sleep(2)
    end
  end

  it("must succeed once before the first attempt", function()
    local running = workspace:start(words("--", "echo", "ran"))
    await_attempts(running, "b", 3)
    assert.equal(0, attempts_of "a")
    workspace:write("b", "yes")
    await_attempts(running, "a", 2)
    workspace:write("a", "yes")
    running:wait()
    assert.same({ 0, "ran\n" }, { running.code, running.stdout }, running.stderr)
    assert.matches("%-%-while %./says%.lua b: attempt 1, .* says is \"no\"", running.stderr)
    assert.matches("SaysYes succeeded after %d+ attempts", running.stderr)
  end)

  it("has as long for that as the wait has", function()
    local outcome, done = workspace:outcome(words("--max-wait", "0.5s"))
    assert.equal(1, done.code)
    assert.same({ "failure", "ended", 0, 0 }, { outcome.state, outcome.reason, outcome.attempts, attempts_of "a" })
    local expected = "%-%-while %./says%.lua b: SaysYes gave up after .* %-%-max%-wait 500ms; last seen: says is \"no\""
    assert.matches(expected, outcome.message)
    assert.is_true(outcome.elapsed > 0.3 and outcome.elapsed < 10, outcome.elapsed)
  end)

  it("counts the time until then towards the deadline", function()
    local running = workspace:start(words("--max-wait", "2s", "--output", "json", "--quiet"))
    await_attempts(running, "b", 10)
    workspace:write("b", "yes")
    running:wait()
    local outcome = assert(json.decode(running.stdout))
    assert.same({ 124, "maxWait" }, { running.code, outcome.reason })
    assert.is_true(outcome.elapsed > 1.8 and outcome.elapsed < 2.9, outcome.elapsed)
  end)

  it("ends the wait as soon as it fails", function()
    workspace:write("b", "yes")
    local running = workspace:start(words("--", "touch", "got"))
    await_attempts(running, "a", 2)
    workspace:write("b", "bad")
    running:wait()
    assert.equal(1, running.code)
    local expected = 'SaysYes ended after .*: %-%-while %./says%.lua b: SaysYes failed after 1 attempt .* is "bad"; last seen'
    assert.matches(expected, running.stderr)
    assert.is_true(running.elapsed < 5)
    assert.is_nil(io.open(workspace.path .. "/got"))
  end)

  it("is asked seldom once it has succeeded", function()
    workspace:write("b", "yes")
    workspace:bide(words("--max-wait", "2.5s")):ends(124)
    assert.is_true(attempts_of "b" <= 4 and attempts_of "b" >= 2, attempts_of "b")
  end)

  it("may be without success for 10 s, and not longer", function()
    workspace:write("b", "yes")
    local running = workspace:start(words("--quiet"))
    await_attempts(running, "a", 1)
    workspace:write("b", "no")
    await_attempts(running, "b", 20)
    workspace:write("b", "yes")
    uv.sleep(1200)
    local count = attempts_of "b"
    workspace:write("b", "no")
    local began = uv.hrtime()
    running:wait()
    local seconds = (uv.hrtime() - began) / 1e9
    assert.equal(1, running.code)
    assert.is_true(attempts_of "b" > count)
    assert.is_true(seconds > 8 and seconds < 11, seconds)
    assert.matches("SaysYes %a+ [%w ]*after .* the 10 s of %-%-while.*; last seen: says is \"no\"; last seen", running.stderr)
  end)

  it("ends by a signal before its first success", function()
    local running = workspace:start(words("--quiet"))
    await_attempts(running, "b", 2)
    running:kill "sigterm"
    running:wait()
    assert.same({ 143, 0 }, { running.code, attempts_of "a" })
    assert.matches("SaysYes was cancelled after 0 attempts", running.stderr)
  end)

  it("ends by the program of --start before its first success", function()
    local done = workspace:bide(words("--quiet", "--start", "sleep 0.3; exit 3", "--", "true"))
    assert.equal(1, done.code)
    assert.matches("SaysYes ended after 0 attempts .* the program of %-%-start ended with exit code 3", done.stderr)
    assert.equal(0, attempts_of "a")
  end)

  it("may be a wait for the program of --start", function()
    local done = workspace:bide { "run", "./says.lua", "a", "--max-wait", "20s", "--while", "./says.lua", "b", "--quiet",
      "--start", "echo yes >b; sleep 0.3; echo yes >a; sleep 30", "--", "echo", "ran" }
    assert.same({ 0, "ran\n" }, { done.code, done.stdout }, done.stderr)
  end)

  it("ends where words of another wait begin", function()
    workspace:write("a", "yes")
    workspace:write("b", "yes")
    local done = workspace:bide { "run", "./says.lua", "a", "--while", "./says.lua", "b", "+", "./says.lua", "b",
      "--max-wait", "50s", "--quiet" }
    done:prints(0, "2 of 2 waits succeeded")
  end)

  it("runs within the sandbox", function()
    workspace:write("at_once.lua", [[return { Op = { call = function() return {} end,
      waitable = { Done = { acceptors = { { state = "success", matcher = { success = true } } } } } } }]])
    workspace:bide({ "run", "at_once.lua", "--while", "at_once.lua", "--sandbox", "--max-wait", "50s", "--quiet" }):ends(0)
  end)

  it("refuses mistakes", function()
    local mistakes = {
      { { "--while" }, "%-%-while: expected RECIPE ..., found nothing" },
      { { "--while", "--quiet" }, "%-%-while: expected RECIPE …, found %-%-quiet" },
      { { "--while", "+", "tcp", "b:1" }, "%-%-while: expected RECIPE …, found %+" },
      { { "--while", "tpc", "b:1" }, 'did you mean "tcp"' },
      { { "--while", "tcp" }, "host: expected a string, found nothing" },
      { { "--while", "tcp", "b:1", "--while=tcp", "b:2" }, "%-%-while is given twice" },
    }
    for _, row in ipairs(mistakes) do
      local done = workspace:bide { "tcp", "a:1", "--max-wait", "5s", table.unpack(row[1]) }
      assert.equal(2, done.code, done.stderr)
      assert.matches(row[2], done.stderr)
    end
  end)
end)
