---A script that spawned tasks and did not join them ended with 0 at once: no task had begun, or their waits were cut, and
---no word said so. So did one that returned an outcome which is a failure.

local Workspace = require "spec.support.workspace"

local HEAD = [[
local bide = require "bide"
local function waiter(name, ready)
  local call = function() return { ready = ready } end
  return bide.waiter { name = name, call = call, minDelay = 0.01, maxDelay = 0.01, acceptors = {
    { state = "failure", matcher = { output = { path = "ready", comparator = "booleanEquals", expected = "false" } } },
    { state = "success", matcher = { output = { path = "ready", comparator = "booleanEquals", expected = "true" } } } } }
end
local slow, lost = waiter("Slow"), waiter("Lost", false)
]]

describe("a script of bide exec", function()
  local workspace = Workspace.of_block()

  local function exec(text)
    workspace:write("script.lua", HEAD .. text)
    return workspace:bide { "exec", "--quiet", "script.lua" }
  end

  it("has a bug if it ends before a task that it started begins", function()
    for text, name in pairs {
      ["bide.spawn(function() assert(lost:wait({}, { maxWait = 9 })) end)"] = "the script",
      ["for _ = 1, 3 do bide.spawn(print) end"] = "the script",
      ["bide.spawn(function() bide.spawn(print) end):join()"] = "the task",
    } do
      local done = exec(text)
      assert.same({ 5, "" }, { done.code, done.stdout }, done.stderr)
      local words = " ended before the task of script.lua:9 began, which has done nothing: join it"
      assert.matches(name .. words, done.stderr, 1, true)
    end
    for _, text in ipairs { "bide.spawn(print):cancel()", "bide.spawn(print):join()", "bide.spawn(print) bide.sleep(0)",
      "bide.timeout(9, print)", "pcall(bide.timeout, 0.01, bide.sleep, 60)" } do
      assert.same({ 0, "" }, { exec(text).code, exec(text).stderr }, text)
    end
  end)

  it("is warned of waits that its end cuts", function()
    local wait = "function() assert(slow:wait({}, { maxWait = 60 })) end"
    local done = exec(("for _ = 1, 2 do bide.spawn(%s) end bide.sleep(0.02)"):format(wait))
    assert.same({ 0, "bide: warning: the script ended before 2 of its waits: join the tasks that make them, or cancel them\n" },
      { done.code, done.stderr })
    for _, text in ipairs { "local task = bide.spawn(%s) bide.sleep(0.02) task:cancel()", "pcall(bide.timeout, 0.02, %s)" } do
      assert.equal("", exec(text:format(wait)).stderr)
    end
  end)

  it("fails if it returns an outcome, or the result of several waits, that is a failure", function()
    for _, text in ipairs { "local _, outcome = lost:wait({}, { maxWait = 9 }) return outcome",
      "local found, failure = bide.all { lost:prepare({}, { maxWait = 9 }) } return found or failure" } do
      local done = exec(text)
      assert.equal(1, done.code)
      assert.matches("Lost failed after 1 attempt", done.stderr, 1, true)
    end
  end)
end)
