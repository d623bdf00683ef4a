---An attempt that was cut because a script had computed, or blocked the process, was reported as one "without an answer",
---as if the service had been silent; its neighbours, too.

local Workspace = require "spec.support.workspace"

local RECIPE = [[
local bide = require "bide"
local success = { state = "success", matcher = { success = true } }
local function operation(name, call)
  return { call = call, waitable = { [name] = { acceptors = { success } } } }
end
return {
  Compute = operation("Computes", function() while true do end end),
  Block = operation("Blocks", function() os.execute "sleep 0.6" bide.sleep(60) end),
  Sleep = operation("Sleeps", function() bide.sleep(60) end),
}
]]

describe("an attempt that was cut", function()
  local workspace = Workspace.of_block { ["recipe.lua"] = RECIPE }

  local function run(...)
    return workspace:bide { "run", "recipe.lua", ... }
  end

  it("says that its own script computed", function()
    local done = run("Computes", "--max-wait", "300ms")
    assert.equal(124, done.code)
    assert.matches("attempt 1 was cut off after 0%.%d+ s: its script ran without waiting\n", done.stderr)
  end)

  it("names the waiter of another script that held the loop", function()
    local done = run("Sleeps", "+", "recipe.lua", "Blocks", "--keep-going", "--max-wait", "300ms")
    local sleeping = done.stderr:match "Sleeps exceeded[^\n]*"
    assert.matches("without an answer; a script of Blocks ran for 0%.%d+ s of them without waiting$", sleeping)
  end)

  it("blames no script for a service that is silent", function()
    local done = run("Sleeps", "--max-wait", "300ms")
    assert.matches("attempt 1 was cut off after 0%.%d+ s without an answer\n", done.stderr)
  end)
end)
