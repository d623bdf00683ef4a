---The 40 ms that a cancelled task has for its `__close` functions were those of the clock: while other programs had the
---processor they passed, and what a script had opened stayed open.

local Workspace = require "spec.support.workspace"
local uv = require "luv"

local script = [[
local bide = require "bide"
local task = bide.spawn(function()
  local _guard <close> = setmetatable({}, { __close = function()
    io.write "closing\n"
    io.flush()
    local began = os.clock()
    repeat until os.clock() > began + 0.01
    print "closed"
  end })
  bide.sleep(60)
end)
bide.sleep(0)
task:cancel()
pcall(task.join, task)
]]

local workspace = Workspace.of_each()

it("a task closes what it has opened, though its process does not run for a while", function()
  workspace:write("script.lua", script)
  local running = workspace:start { "exec", "script.lua" }
  running:wait_for_output "closing"
  running:kill "sigstop"
  uv.sleep(100)
  running:kill "sigcont"
  running:wait()
  assert.same({ 0, "closing\nclosed\n" }, { running.code, running.stdout }, running.stderr)
end)
