---A JMESPath function of a script that raised ended the process with a trace
---through the reporter, which evaluates paths again to tell what was seen.

local Workspace = require "spec.support.workspace"

local recipe = [[
local bide = require "bide"
bide.jmespath.register("at_least", { "number", "number", returns = "boolean" }, function(a, b)
  if a == 99 then error("on purpose") end
  return a >= b
end)
return { Get = { call = function() return {} end, waitable = { ThingReady = { acceptors = {
  { state = "success", matcher = { output = { path = "at_least(n, `3`)", comparator = "booleanEquals", expected = "true" } } },
} } } } }
]]

describe("a registered JMESPath function", function()
  local workspace = Workspace.of_each { ["recipe.lua"] = recipe }

  local function replay(responses)
    workspace:write("responses.jsonl", responses)
    return workspace:bide { "replay", "recipe.lua", "ThingReady", "responses.jsonl", "--max-wait", "1m" }
  end

  it("decides in an acceptor", function()
    replay('{"output":{"n":1}}\n{"output":{"n":3}}\n'):prints(0, "succeeded after 2 attempts")
  end)

  it("that raises ends the wait as a script error", function()
    replay('{"output":{"n":99}}\n'):says(5, "recipe.lua:3: on purpose")
  end)
end)
