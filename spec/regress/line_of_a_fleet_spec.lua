---The summary of a fleet counted the waits where it says line, and so named another line of a file that
---has empty ones.

local Workspace = require "spec.support.workspace"

local recipe = [[
return { GetThing = {
  call = function(input) return { status = input.status } end,
  waitable = { X = { acceptors = {
    { state = "success", matcher = { output = { path = "status", comparator = "stringEquals", expected = "done" } } },
    { state = "failure", matcher = { success = true } },
  } } },
} }
]]

describe("the summary of a fleet", function()
  local workspace = Workspace.of_block { ["things.lua"] = recipe }

  it("names the lines of the file", function()
    workspace:write("lines.jsonl", '\n{"status": "done"}\n\n\n{"status": "failed"}\n')
    local done = workspace:bide { "run", "things.lua", "--each", "lines.jsonl", "--max-wait", "1s", "--quiet",
      "--verbose" }
    assert.equal(1, done.code)
    assert.matches("^line 2 %(status=done%): X succeeded ", done.stderr)
    assert.matches("\nline 5 %(status=failed%): X failed ", done.stderr)
  end)
end)
