---A service-2.json beside a waiters-2.json that was no JSON, or no service, was taken for one that is absent: the waiters
---ran without their shapes, so that no input was checked.

local Workspace = require "spec.support.workspace"

local waiters = [[{"version": 2, "waiters": {"ThingReady": {"operation": "GetThing", "delay": 2, "maxAttempts": 3,
  "acceptors": [{"state": "success", "matcher": "status", "expected": 200}]}}}]]

describe("a broken service-2.json", function()
  local workspace = Workspace.of_each { ["waiters-2.json"] = waiters }

  it("is an error with its place", function()
    for text, message in pairs {
      ['{"metadata":\n x}'] = "service-2.json:2:2: ", ["[]"] = "service-2.json:1:1: expected a service",
      ['{"shapes": {}}'] = "service-2.json:1:1: expected a service-2.json, with metadata, operations and shapes" } do
      workspace:write("service-2.json", text)
      workspace:bide({ "plan", "./waiters-2.json", "--max-wait", "5s" }):says(2, message)
    end
  end)

  it("is none where it is absent", function()
    assert.equal(0, workspace:bide({ "plan", "./waiters-2.json", "--max-wait", "5s" }).code)
  end)
end)
