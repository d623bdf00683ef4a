---The error of a task that nobody joined was shown by bide exec in one line, with `\x0A` between the lines of its traceback,
---and without the task.

local Workspace = require "spec.support.workspace"

describe("the error of a task that nobody joined", function()
  local workspace = Workspace.of_each()

  it("is shown in lines, with the task", function()
    workspace:write("script.lua", [[
local bide = require "bide"
bide.spawn(function() error "child" end)
bide.sleep(0.001)
]])
    local done = workspace:bide { "exec", "script.lua" }
    assert.same({ 5, "" }, { done.code, done.stdout })
    assert.matches("^bide: script.lua:2: child %(in the task of script.lua:2%)\nstack traceback:\n\t", done.stderr)
  end)
end)
