---Progress: on standard error; a line when the state seen changes and a heartbeat,
---a live line on a terminal.

local Screen = require "spec.support.screen"
local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"

local acceptors = [=[[
  {"state": "success", "matcher": {"output": {"path": "status", "comparator": "stringEquals", "expected": "ok"}}},
  {"state": "retry", "matcher": {"errorType": "NotFound"}}
]]=]

local answers = {
  '{"error": {"type": "NotFound", "message": "gone", "status": 404}}',
  '{"error": {"type": "NotFound", "message": "gone", "status": 404}}',
  '{"output": {"status": "no", "password": "hunter2"}}',
  '{"output": {"status": "no"}}',
  '{"output": {"status": "ok"}}',
}

local recipe = [[
local attempt = 0
return { Op = {
  call = function()
    attempt = attempt + 1
    return { status = attempt > 3 and "ok" or "no\27[2J" }
  end,
  waitable = { Done = { minDelay = 0.4, maxDelay = 0.4, acceptors = {
    { state = "success", matcher = { output = { path = "status", comparator = "stringEquals", expected = "ok" } } },
  } } },
} }]]

describe("progress", function()
  local workspace = Workspace.of_block { ["recipe.lua"] = recipe }

  local function progress_of(...)
    local done = workspace:bide(workspace:replay_of(acceptors, answers, "--max-wait", "5m", "--seed", "1", ...))
    assert.equal(0, done.code)
    local lines = {}
    for line in done.stderr:gmatch("[^\n]+") do lines[#lines + 1] = line end
    return lines, done
  end

  it("is a line when the state seen changes", function()
    local lines, done = progress_of()
    assert.equal(3, #lines)
    assert.equal("Waiter: attempt 1, 0 s of 5 m: error NotFound (404): gone, next in 2 s", lines[1])
    assert.matches('^Waiter: attempt 3, .*: status is "no", next in ', lines[2])
    assert.matches('^Waiter: attempt 5, .*: status is "ok"$', lines[3])
    assert.not_matches("hunter2", done.stderr)
  end)

  it("is a line for every attempt with --verbose", function()
    assert.equal(5, #progress_of "--verbose")
  end)

  it("is nothing with --quiet, where errors and the outcome stay", function()
    local lines, done = progress_of "--quiet"
    assert.equal(0, #lines)
    assert.matches("^Waiter succeeded", done.stdout)
    workspace:write("broken.lua", recipe:gsub("attempt = attempt %+ 1", "nobody.there = 1"))
    local broken = workspace:bide { "run", "broken.lua", "--max-wait", "50s", "--quiet" }
    assert.same({ 5, "" }, { broken.code, broken.stdout }, broken.stderr)
    assert.matches("^bide: a script error ended the wait\nstack traceback:\n.*\nbroken.lua:4: [^\n]*\n$", broken.stderr)
  end)

  it("keeps standard output to the outcome", function()
    local _, done = progress_of()
    assert.matches("^Waiter succeeded[^\n]*\n$", done.stdout)
  end)

  it("passes on no command to the terminal from what was seen", function()
    local done = workspace:bide { "run", "recipe.lua", "--max-wait", "50s" }
    assert.equal(0, done.code)
    assert.not_matches("\27", done.stderr .. done.stdout)
  end)

  it("has a heartbeat, so that a silent job is not killed", function()
    workspace:write("heartbeat.lua", [[
      local bide, core = require "bide", require "bide.core"
      local progress, Wait = require "bide.record.report.progress.waits", require "bide.wait.run"
      local limits_of = require "bide.recipe.waiter.limits"
      core.loop.use_virtual_clock()
      local waiter = bide.waiter { name = "Slow", call = function() return { status = "no" } end, acceptors = {
        { state = "success", matcher = { output = { path = "status", comparator = "stringEquals", expected = "ok" } } } } }
      local waker = core.task.waker()
      local limits = limits_of.read(waiter, { maxWait = 600, minDelay = 100, maxDelay = 100 })
      Wait.of_kind(Wait.new_kind(waiter, limits, waker, progress.new { heartbeat = true }), core.json.document {})
      core.task.pause(waker)]])
    local done = workspace:bide { "exec", "heartbeat.lua" }
    local _, beats = done.stderr:gsub("Slow: still waiting, [^\n]*: status is \"no\", next in [^\n]*\n", "")
    assert.is_true(beats >= 15 and beats <= 20, beats)
  end)

  it("is drawn ten times a second at most, and once a second during a long sleep", function()
    workspace:write("draws.lua", [[
      local bide, core = require "bide", require "bide.core"
      local progress = require "bide.record.report.progress.waits"
      local shown, Wait = require "bide.text.shown", require "bide.wait.run"
      local limits_of = require "bide.recipe.waiter.limits"
      core.loop.use_virtual_clock()
      local delay, draws = tonumber((...)), 0
      shown.draw = function() draws = draws + 1 end
      local waiter = bide.waiter { name = "Slow", call = function() return { status = "no" } end, acceptors = {
        { state = "success", matcher = { output = { path = "status", comparator = "stringEquals", expected = "ok" } } } } }
      local waker = core.task.waker()
      local limits = limits_of.read(waiter, { maxWait = 50 * delay, minDelay = delay, maxDelay = delay })
      Wait.of_kind(Wait.new_kind(waiter, limits, waker, progress.new { live = true }), core.json.document {})
      local record = core.task.pause(waker)
      print(("%d %d"):format(record.elapsed * 1000 // 1, draws))]])
    ---Returns the drawings per second.
    local function rate_with(delay)
      local elapsed, draws = workspace:bide({ "exec", "draws.lua", delay }).stdout:match "(%d+) (%d+)"
      return draws * 1000 / elapsed
    end
    local fast, lively, long = rate_with "0.02", rate_with "5", rate_with "100"
    assert.is_true(fast > 5 and fast <= 10.1, fast)
    assert.is_true(lively > 4 and lively < 6, lively)
    assert.is_true(long > 1 and long < 1.5, long)
  end)

  describe("of several waits", function()
    setup(function()
      workspace:write("several.lua", (recipe:gsub("return { status = [^\n]*", "return { status = input.status }")
        :gsub("function%(%)", "function(input)")))
    end)

    it("names each, and says how it ended", function()
      local done = workspace:bide { "run", "several.lua", "status=ok", "+", "several.lua", "status=no", "--max-wait", "300ms" }
      assert.equal(124, done.code)
      local lines = {}
      for line in done.stderr:gmatch "[^\n]+" do lines[#lines + 1] = line:match "^%S+ %S+ %w+" end
      assert.same({ "several#1: Done succeeded", "several#2: Done gave", "1 of 2" }, lines)
    end)

    it("leaves out those that nothing waits for any longer", function()
      workspace:write("abandoned.lua", [[
        local bide, core = require "bide", require "bide.core"
        local progress, Wait = require "bide.record.report.progress.waits", require "bide.wait.run"
      local limits_of = require "bide.recipe.waiter.limits"
        core.loop.use_virtual_clock()
        local function begin(name, observer, done)
          local waiter = bide.waiter { name = name, call = function() return {} end, acceptors = {
            { state = "success", matcher = { output = { path = "x", comparator = "stringEquals", expected = "ok" } } } } }
          local limits = limits_of.read(waiter, { maxWait = 600, minDelay = 100, maxDelay = 100 })
          return Wait.of_kind(Wait.new_kind(waiter, limits, done, observer), core.json.document {})
        end
        local observer, waker = progress.new { heartbeat = true }, core.task.waker()
        local gone = begin("Gone", observer, function() end)
        begin("Kept", observer, waker)
        bide.sleep(1)
        gone:abandon()
        core.task.pause(waker)]])
      local done = workspace:bide { "exec", "abandoned.lua" }
      done:says(0, "Gone: attempt 1", "Kept: still waiting")
      assert.not_matches("Gone: still waiting", done.stderr)
    end)
  end)

  describe("on a terminal", function()
    local function on_terminal(line)
      local done = process.run({ "script", "-qec", line, "/dev/null" }, { cwd = workspace.path, tool = true,
        env = { BIDE = require("luv").fs_realpath(process.bide), TERM = "xterm" } })
      return done.stdout, done
    end

    it("is one live line, which is gone at the end", function()
      local screen, done = on_terminal [["$BIDE" run recipe.lua --max-wait 30s]]
      assert.equal(0, done.code)
      assert.matches('\r\27%[%?7l[|/\\-] Done: status is "no\\u001b%[2J", attempt 1, 0%.%d s of 30 s, next in 0%.%d s\27%[K',
        screen)
      assert.matches(", attempt 3, ", screen, 1, true)
      assert.not_matches("\27[2J", screen, 1, true)
      assert.matches("\r\27%[JDone succeeded after 4 attempts[^\n]*\n$", screen)
    end)

    it("is a line for each of several waits", function()
      local bytes = on_terminal [["$BIDE" run recipe.lua + recipe.lua --max-wait 30s]]
      local screen = Screen.new(80)
      screen:feed(bytes:match "\27%[%?7l[^\n]*next in[^\n]*\n[^\n]*next in[^\n]*\27%[%?7h")
      local lines = screen:lines()
      assert.equal(2, #lines)
      for position, line in ipairs(lines) do
        assert.matches(('^[|/\\-] recipe#%d: status is .*, attempt %%d, '):format(position), line)
      end
    end)

    it("cuts a live line at the edge, since what wraps cannot be redrawn", function()
      local screen = on_terminal [["$BIDE" run recipe.lua --max-wait 30s]]
      assert.matches("\27%[%?7l[^\n]*attempt 1[^\n]*\27%[%?7h", screen)
    end)

    it("is plain lines where the terminal is dumb", function()
      assert.not_matches("\27", (on_terminal [[TERM=dumb "$BIDE" run recipe.lua --max-wait 30s]]))
    end)

    it("is nothing with --quiet", function()
      local screen = on_terminal [["$BIDE" run recipe.lua --max-wait 30s --quiet]]
      assert.matches("^Done succeeded[^\n]*\n$", screen)
    end)
  end)
end)
