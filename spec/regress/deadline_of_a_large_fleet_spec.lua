---The deadlines of large fleets slipped by seconds: what was due before the deadline came first, one wait after the other,
---attempts began after it, and each end was a piece of work in a line. All waits are decided at once now.

local Workspace = require "spec.support.workspace"
local timely = require "spec.support.timely"

local recipe = [[
return { Ask = { call = function() %s end, waitable = { Done = { minDelay = 0.2, maxDelay = 0.3, acceptors = {
  { state = "success", matcher = { output = { path = "s", comparator = "stringEquals", expected = "yes" } } } } } } } }
]]

local COUNT, MAX_WAIT = 10000, 1.5

---The latest end after the deadline, as a part of the time that waits of the same number take which succeed at once.
local LATEST = 0.1

describe("the deadline of 10,000 waits", function()
  local workspace = Workspace.of_block()
  setup(function()
    workspace:write("list.jsonl", ("{}\n"):rep(COUNT))
    workspace:write("sleeps.lua", recipe:format 'require("bide").sleep(60)')
    workspace:write("succeeds.lua", recipe:format 'return { s = "yes" }')
    workspace:write("polls.lua", recipe:format 'return { s = "no" }')
  end)

  for _, name in ipairs { "sleeps", "polls" } do
    it(("is kept where each wait %s, and no attempt begins after it"):format(name), function()
      timely.within(LATEST, function()
        local _, free = workspace:outcome { "run", "succeeds.lua", "--each", "list.jsonl", "--max-wait", "10m" }
        assert.equal(0, free.code)
        local result, done = workspace:outcome { "run", name .. ".lua", "--each", "list.jsonl", "--max-wait", "1500ms" }
        assert.same({ 124, COUNT }, { done.code, #result.outcomes })
        local latest, last_begun = 0, 0
        for _, wait in ipairs(result.outcomes) do
          latest = math.max(latest, wait.elapsed - MAX_WAIT)
          local last = wait.history[#wait.history]
          last_begun = math.max(last_begun, last and last.at or 0)
        end
        return last_begun <= MAX_WAIT and latest / free.elapsed or math.huge
      end)
    end)
  end

  it("leaves a single wait its first attempt, however short it is", function()
    for _ = 1, 5 do
      assert.equal(1, workspace:outcome({ "run", "polls.lua", "--max-wait", "1ms" }).attempts)
    end
  end)
end)
