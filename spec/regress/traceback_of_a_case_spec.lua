---A recipe that cannot be loaded has a traceback, whose lines `bide test` showed as one, with `\x0A` between them.

local Workspace = require "spec.support.workspace"

describe("a case whose recipe cannot be loaded", function()
  local workspace = Workspace.of_each()

  it("shows the lines of the traceback as lines", function()
    workspace:write("jobs.lua", 'local probe = require "bide.files"\nreturn { probe }')
    workspace:write("jobs.wait.lua", [[return { recipe = "./jobs.lua",
      { name = "c", waiter = "JobDone", answers = { { output = {} } }, expect = { state = "success", attempts = 1 } } }]])
    local done = workspace:bide { "test", "jobs.wait.lua" }
    local text = done.stdout .. done.stderr
    assert.equal(1, done.code, text)
    assert.matches("jobs.wait.lua: c: ./jobs.lua:1: module 'bide.files' not found, did you mean \"bide.file\"?\n", text, 1, true)
    assert.matches("\n  stack traceback:\n", text, 1, true)
    assert.is_nil(text:find("\\x", 1, true), text)
  end)
end)
