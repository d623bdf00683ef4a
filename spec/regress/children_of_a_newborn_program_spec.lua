---A program had started others before its group was recorded. They outlived bide if it was killed in that moment.

local Workspace = require "spec.support.workspace"
local processes = require "spec.support.processes"

describe("a program that bide.exec has just started", function()
  local workspace = Workspace.of_each()

  it("leaves no children, at whatever moment bide is killed", function()
    workspace:write("many.lua", [[
      local bide = require "bide"
      while true do pcall(bide.exec, "sleep 30 & sleep 30", { shell = true, timeout = 0.002 }) end]])
    processes.assert_gone_when_killed(40, 20, 60, function(env) return workspace:start({ "exec", "many.lua" }, { env = env }) end)
  end)
end)
