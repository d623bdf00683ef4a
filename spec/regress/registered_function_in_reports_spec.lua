---A JMESPath function of a script that never returns was cut at the deadline, and then
---called again to tell the value seen, where nothing cuts it: bide hung.

local Workspace = require "spec.support.workspace"

describe("a registered function that never returns", function()
  local workspace = Workspace.of_each()

  it("is cut at the deadline, and not called to tell how it ended", function()
    workspace:write("loop.lua", [[
      local bide = require "bide"
      bide.jmespath.register("endless", { "any" }, function() while true do end end)
      return { Get = { call = function() return { n = 5 } end, waitable = { ThingExists = { acceptors = {
        { state = "failure", message = "endless(n)", matcher = { errorType = "Never" } },
        { state = "success", matcher = { output = { path = "endless(n)", comparator = "booleanEquals", expected = "true" } } },
      } } } } }
    ]])
    local done = workspace:bide { "run", "loop.lua", "--max-wait", "200ms" }
    assert.equal(124, done.code)
    assert.is_true(done.elapsed < 50)
  end)
end)
