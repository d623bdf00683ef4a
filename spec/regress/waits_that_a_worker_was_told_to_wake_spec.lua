---A recipe that called bide.wake() in a worker woke all waits that the worker held, those of others too.

local Workspace = require "spec.support.workspace"

describe("bide.wake in a worker", function()
  local workspace = Workspace.of_each()

  before_each(function()
    workspace:write("waking.lua", [[
      local bide = require "bide"
      return { Wake = { call = function() bide.wake() return {} end, waitable = { Never = { minDelay = 0.1, maxDelay = 0.1,
        acceptors = { { state = "success", matcher = { errorType = "Never" } } } } } } }]])
    workspace:write("quiet.lua", [[return { Ask = { call = function() return {} end, waitable = { Never = { minDelay = 0.8,
      maxDelay = 0.8, acceptors = { { state = "success", matcher = { errorType = "Never" } } } } } } }]])
  end)

  it("wakes no wait of a store", function()
    for _, recipe in ipairs { "quiet.lua", "waking.lua" } do
      workspace:bide({ "submit", recipe, "--max-wait", "3s", "--store", "s.db" }):ends(0)
    end
    local worker = workspace:start { "worker", "--store", "s.db", "--quiet" }
    local attempts = workspace:outcome({ "watch", "1", "--store", "s.db" }).attempts
    worker:stop()
    assert.is_true(attempts >= 2 and attempts <= 5, attempts)
  end)
end)
