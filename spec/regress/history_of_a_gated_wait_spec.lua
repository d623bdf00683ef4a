---Nothing noticed whether the alarm of a wait is silenced when the gate of `--jobs` admits it: without that the alarm of
---the deadline ends the wait before its cut attempt is in the history.

local Workspace = require "spec.support.workspace"
local json = require("bide.core").json

local recipe = [[
local bide = require "bide"

return { Hang = {
  call = function() bide.sleep(60) end,
  waitable = { Done = { minDelay = 0.01, acceptors = { { state = "success", matcher = { success = true } } } } },
} }
]]

describe("a wait behind a gate", function()
  local space = Workspace.of_each { ["hang.lua"] = recipe }

  ---@return table[] outcomes
  local function run(waits, jobs)
    space:write("ids.jsonl", ("{}\n"):rep(waits))
    local done = space:bide { "run", "hang.lua", "--each", "ids.jsonl", "--jobs", tostring(jobs), "--max-wait", "300ms",
      "--quiet", "--output", "json" }
    assert.equal(124, done.code)
    return json.decode(done.stdout).outcomes
  end

  for _, row in ipairs { { 1, 1 }, { 2, 2 }, { 5, 3 } } do
    local waits, jobs = row[1], row[2]
    it(("has its cut attempt in the history, of %d with --jobs %d"):format(waits, jobs), function()
      local admitted = 0
      for _, outcome in ipairs(run(waits, jobs)) do
        assert.equal("maxWait", outcome.reason)
        assert.equal(outcome.attempts, #outcome.history)
        local last = outcome.history[1]
        assert.is_true(last == nil or last.attempt == 1 and last.duration > 0 and last.state == nil)
        admitted = admitted + outcome.attempts
      end
      assert.equal(jobs, admitted)
    end)
  end
end)
