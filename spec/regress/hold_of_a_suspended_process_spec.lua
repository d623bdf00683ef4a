---A process that was stopped while a success had to hold took the time in which it did not look for time that it had held.

local Workspace = require "spec.support.workspace"
local uv = require "luv"

local recipe = [[
return { Look = {
  call = function()
    local file = assert(io.open "state")
    local text = file:read "l"
    file:close()
    return { state = text }
  end,
  waitable = { Seen = { minDelay = 0.1, maxDelay = 0.1, acceptors = {
    { state = "success", matcher = { output = { path = "state", comparator = "stringEquals", expected = "there" } } },
  } } },
} }
]]

describe("a hold of a process that was stopped", function()
  local workspace = Workspace.of_each()

  it("begins again, and says so", function()
    workspace:write("look.lua", recipe)
    workspace:write("state", "there\n")
    local words = { "run", "look.lua", "--max-wait", "60s", "--interval", "100ms", "--events", "events", "--hold", "3s" }
    local process = workspace:start(words)
    process:wait_for_output "attempt 1,"
    uv.sleep(500)
    process:kill "sigstop"
    uv.sleep(11500)
    process:kill "sigcont"
    process:wait():ends(0)
    local events, begins = Workspace.decode_lines(workspace:read "events"), nil
    for _, event in ipairs(events) do
      if event.note and event.note:find "^the attempt came 11%.%d+ s late: the hold begins again" then begins = event end
    end
    local last = events[#events]
    assert.is_table(begins)
    assert.is_true(last.elapsed >= begins.at + 3, last.message)
    assert.matches("held for 3 s", last.message, 1, true)
  end)
end)
