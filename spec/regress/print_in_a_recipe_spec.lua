---What an operation printed stood before the outcome, whose JSON nobody could read then.

local core = require "bide.core"
local Workspace = require "spec.support.workspace"

describe("what a recipe prints", function()
  local workspace = Workspace.of_block()

  setup(function()
    workspace:write("loud.lua", [[
      print("loading", 1)
      return { Get = {
        call = function() print "asked\27[2J" return {} end,
        waitable = { Got = { acceptors = { { state = "success", matcher = { success = true } } } } },
      } }
    ]])
  end)

  it("goes to standard error, harmless", function()
    local done = workspace:bide { "run", "loud.lua", "--max-wait", "50s", "--quiet", "--output", "json" }
    assert.equal("success", core.json.decode(done.stdout).state)
    assert.equal("loading\t1\nasked\\x1B[2J\n", done.stderr)
  end)

  it("is no part of a list either", function()
    local done = workspace:bide { "list", "loud.lua" }
    assert.equal(0, done.code)
    assert.matches("^loud.lua\n", done.stdout)
    assert.equal("loading\t1\n", done.stderr)
  end)
end)
