---A recipe that did not load bide itself had Lua's own coroutine.wrap, which
---returns as soon as a call in it waits: the operation went on with nothing.

local Workspace = require "spec.support.workspace"

describe("a coroutine in a recipe that does not require bide", function()
  local workspace = Workspace.of_block()

  it("is stopped by a signal, not taken for one that yielded", function()
    workspace:write("recipe.lua", [[return { Op = {
      call = function()
        coroutine.wrap(function() io.stderr:write("begun\n") while true do end end)()
        return { went = "on" }
      end,
      waitable = { Done = { acceptors = { { state = "success", matcher = { success = false } } } } },
    } }]])
    local running = workspace:start { "run", "recipe.lua", "--max-wait", "1m", "--output", "json" }
    running:wait_for_output("begun")
    running:kill("sigint")
    assert.equal(130, running:wait().code)
    assert.not_matches("went", running.stdout)
  end)
end)
