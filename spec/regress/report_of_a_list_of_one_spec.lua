---The report of a list with one wait was called "A run of 1 waits".

local Workspace = require "spec.support.workspace"

describe("the report of a list with one wait", function()
  local workspace = Workspace.of_each()

  it("has a title in plain English", function()
    workspace:write("list.jsonl", '{"run": "true"}\n')
    workspace:bide({ "run", "command", "--each", "list.jsonl", "--max-wait", "5s", "--output", "html=r.html" }):ends(0)
    assert.truthy(workspace:read("r.html"):find("<title>A run of 1 wait succeeded</title>", 1, true))
  end)
end)
