---The delays of a wait that a journal resumes: bounded lateness knows the whole time of the wait, and a wait of an older
---release keeps the delays that it was begun with.

local Workspace = require "spec.support.workspace"
local journal = require "spec.support.journal"
local bide = require "bide"

local recipe = [[
return { Op = { call = function() return { state = "busy" } end, waitable = { Done = { minDelay = 0.05, maxDelay = 5,
  lateness = 0.5, acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "done" } } } } } } } }
]]

describe("the delays of a wait that is resumed", function()
  local workspace = Workspace.of_each()
  local words

  before_each(function()
    workspace:write("late.lua", recipe)
  end)

  ---Begins the wait, and kills it after its first attempts, which are recorded before they are written.
  local function begin(attempts)
    words = { "run", "late.lua", "--max-wait", "90s", "--max-attempts", attempts, "--journal", "waits.db", "--seed", "3" }
    local process = workspace:start(words)
    process:wait_for_output "attempt 1,"
    process:kill("sigkill")
    process:wait()
    words[#words + 1] = "--resume"
  end

  ---Asserts that each delay but the last one is within the rule.
  local function assert_late(outcome, from)
    for number = from, #outcome.history - 2 do
      local one = outcome.history[number]
      local high = math.max(0.05, 0.5 * (one.at + one.duration))
      assert.is_true(one.delay <= high + 0.002 and one.delay >= math.max(0.05, high / 2 - 0.002), number)
    end
  end

  it("grow with the time since its first beginning", function()
    begin "10"
    bide.sleep(0.3)
    local outcome = workspace:outcome(words)
    assert.equal("maxAttempts", outcome.reason)
    assert.is_true(outcome.attempts > 4)
    assert_late(outcome, 1)
  end)

  it("are those of the release that began it", function()
    begin "20"
    local file = workspace.path .. "/waits.db"
    local state = journal.query(file, "SELECT state FROM wait")[1].state
    local recorded = tonumber(state:match " attempts=(%d+)")
    local older = state:gsub("bide%-wait 4", "bide-wait 2"):gsub("max_delay=%d+", "max_delay=60")
      :gsub("retry_after_cap=%-?%d+", "retry_after_cap=60")
    for _, name in ipairs {
      "lateness", "hold_attempts", "hold_time", "hold_delay", "last_spread", "woken",
    } do
      local count
      older, count = older:gsub(" " .. name .. "=%d+", "")
      assert.equal(1, count)
    end
    journal.query(file, "UPDATE wait SET state = ?, limits = json_set(limits, '$.max_delay', 60)", older)
    local outcome = workspace:outcome(words)
    assert.equal("maxAttempts", outcome.reason)
    assert.is_true(recorded < 15, recorded)
    for number = recorded + 1, 19 do
      local delay = outcome.history[number].delay
      assert.is_true(delay >= 0.05 and delay <= 0.06, number)
    end
  end)
end)
