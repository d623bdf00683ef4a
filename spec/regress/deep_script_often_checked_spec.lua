---A script that may not wait was checked each 5 ms once it had had its share, and each check walks the calls of its states: one
---that recurs without end did little else on a busy machine, and its error came after the deadline.

local CountedReads = require "spec.support.counted_reads"
local Workspace = require "spec.support.workspace"
local process = require "spec.support.process"

local recipe = [[
return { Op = {
  prepare = function()
    local began = os.clock()
    while os.clock() < began + 2 do end
    return function() return {} end
  end,
  waitable = { Done = { acceptors = { { state = "success", matcher = { success = true } } } } },
} }
]]

describe("a script that may not wait", function()
  local workspace = Workspace.of_block()

  it("is checked more rarely the longer it runs", function()
    if process.is_static then return pending(process.NO_PRELOAD) end
    local reads = CountedReads.make(workspace)
    workspace:write("recipe.lua", recipe)
    local done = workspace:bide({ "run", "recipe.lua", "--max-wait", "20m", "--load-timeout", "10m", "--quiet" },
      { longest = 620, env = reads.environment })
    assert.equal(0, done.code, done.stderr)
    local count = reads:count() -- two for each check
    assert.is_true(count > 0 and count < 200, count .. " reads")
  end)
end)
