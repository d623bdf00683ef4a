---A script whose `bide.any` failed ended with the code of the worst wait, and its sentence named the first one, whose code
---`bide run` has.

local Workspace = require "spec.support.workspace"

local script = [[
local bide = require "bide"
local function new(how, after)
  local waiter = bide.waiter { name = how, acceptors = {
    { state = "success", matcher = { expect = { path = "how", text = "up" } } },
    { state = "failure", matcher = { expect = { path = "how", text = "Bad" } } },
  }, call = function()
    bide.sleep(after)
    if how == "Odd" then error { type = "Odd" } end
    return { how = how }
  end }
  return waiter:prepare({}, { maxWait = 5 })
end
assert(bide.any { a = new(arg[1], 0), b = new(arg[2], 0.05) })
]]

describe("a script whose waits fail one after another", function()
  local workspace = Workspace.of_block { ["any.lua"] = script }

  for first, code in pairs { Bad = 1, Odd = 3 } do
    it("ends with the code of the first: " .. first, function()
      local done = workspace:bide { "exec", "--quiet", "any.lua", first, first == "Bad" and "Odd" or "Bad" }
      assert.matches("first failure: " .. first, done.stderr, 1, true)
      assert.equal(code, done.code)
    end)
  end
end)
