---A program had started others before its group was recorded. They outlived bide if it was killed in that moment.

local Workspace = require "spec.support.workspace"
local processes = require "spec.support.processes"
local uv = require "luv"

describe("a program that bide.exec has just started", function()
  it("leaves no children, at whatever moment bide is killed", function()
    local workspace = Workspace.make()
    finally(function() workspace:remove() end)
    workspace:write("many.lua", [[
      local bide = require "bide"
      while true do pcall(bide.exec, "sleep 30 & sleep 30", { shell = true, timeout = 0.002 }) end]])
    local random = 1
    for _ = 1, 40 do
      local mark = processes.mark()
      local running = workspace:start({ "exec", "many.lua" }, { env = mark.env })
      random = random * 48271 % 2147483647
      uv.sleep(20 + random % 60)
      running:kill "sigkill"
      running:wait()
      assert.equal(0, mark:count_after(5))
    end
  end)
end)
