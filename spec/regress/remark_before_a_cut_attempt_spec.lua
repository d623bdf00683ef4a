---What an operation had remarked of the state, such as the last lines of a failed container's log, was lost when the deadline
---cut the next attempt.

local Workspace = require "spec.support.workspace"

local script = [[
local bide, retries = require "bide", require "bide.task.retries"
local attempts = 0
local function call()
  attempts = attempts + 1
  if attempts == 1 then
    retries.remark "the log ends with: no space left"
    return { ready = false }
  end
  %s
  bide.sleep(60)
end
local matcher = { output = { path = "ready", comparator = "booleanEquals", expected = "true" } }
local acceptors = { { state = "success", matcher = matcher } }
local waiter = bide.waiter { minDelay = 0.05, maxDelay = 0.05, acceptors = acceptors, call = call }
local _, outcome = waiter:wait({}, { maxWait = 0.5 })
print(outcome.message)
]]

describe("the remark of an attempt", function()
  local workspace = Workspace.of_block()

  ---Returns how the wait ended whose second attempt is cut.
  local function message_of(second)
    workspace:write("script.lua", script:format(second))
    return workspace:bide({ "exec", "script.lua", "--quiet" }).stdout
  end

  it("stays when the deadline cuts the next one", function()
    assert.matches("ready is false; the log ends with: no space left\n", message_of "", 1, true)
  end)

  it("gives way to that of the attempt which is cut", function()
    local message = message_of 'retries.remark "the container is restarting"'
    assert.matches("ready is false; the container is restarting\n", message, 1, true)
  end)
end)
