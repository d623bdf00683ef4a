---`bide check` did not say of a delay of less than a second that the waiter is not portable to Smithy.

local Workspace = require "spec.support.workspace"

local workspace = Workspace.of_each()

it("a waiter with fractions of seconds is said to be not portable to Smithy", function()
  workspace:write("own.lua", [[return { Ask = { call = function() return {} end, waitable = { Asked = { minDelay = 0.05,
    maxDelay = 0.5, lateness = 0.1, acceptors = { { state = "success", matcher = { success = true } } } } } } }]])
  local done = workspace:bide { "check", "own.lua", "--severity", "NOTE" }
  assert.equal(0, done.code)
  for _, member in ipairs { "minDelay", "maxDelay", "lateness" } do
    assert.matches(("Asked: %s: not portable to Smithy, "):format(member), done.stdout, 1, true)
  end
end)
