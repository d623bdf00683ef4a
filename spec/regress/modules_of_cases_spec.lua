---A module that the file of cases had loaded as well kept from one case to the next what the recipe put into it.

local Workspace = require "spec.support.workspace"

local recipe = [[
local counter = require "counter"
return { Count = {
  call = function()
    counter.count = counter.count + 1
    return { count = counter.count }
  end,
  waitable = { Counted = { acceptors = { { state = "success", matcher = { success = true } } } } },
} }]]

local cases = [[
local counter = require "counter"
counter.count = counter.count + 5
local function case(name)
  return { name = name, waiter = "Counted", exchanges = {}, expect = { state = "success", attempts = 1, output = { count = 1 } } }
end
return { recipe = "./counts.lua", case "one", case "two", case "three" }]]

describe("a case", function()
  local workspace = Workspace.of_block {
    ["counter.lua"] = "return { count = 0 }", ["counts.lua"] = recipe, ["counts.wait.lua"] = cases,
  }

  it("has its own modules, though its file has loaded them", function()
    workspace:bide({ "test", "counts.wait.lua" }):prints(0, "3 cases, 0 failed")
  end)
end)
