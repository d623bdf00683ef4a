---The status of an operation error is whatever a script gives it; one that is no whole number ended bide in a fault.

local Workspace = require "spec.support.workspace"

describe("an operation error whose status is no whole number", function()
  local workspace = Workspace.of_each()

  it("is told without it", function()
    for _, status in ipairs { "404.5", "1e300" } do
      local outcome, done = workspace:outcome(workspace:replay_of('[{"state": "success", "matcher": {"success": true}}]',
        { ('{"error": {"type": "X", "message": "odd", "status": %s}}'):format(status) }, "--max-wait", "1m"))
      assert.equal(3, done.code)
      assert.equal("Waiter failed after 1 attempt in 0 s: no acceptor matched the error X: odd", outcome.message)
    end
  end)

  it("is told without it when it is tried again", function()
    workspace:write("again.lua", [[
local tries = 0
print(require("bide").retry({ preset = "standard", base = 0.001, cap = 0.001 }, function()
  tries = tries + 1
  if tries == 1 then error { type = "Timeout", status = 404.5 } end
  return tries
end))
]])
    local done = workspace:bide { "exec", "again.lua" }
    assert.same({ 0, "2\n" }, { done.code, done.stdout }, done.stderr)
  end)
end)
