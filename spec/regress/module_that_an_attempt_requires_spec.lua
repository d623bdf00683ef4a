---A module that only an attempt requires was no part of the question: after it had changed, `--resume` and `bide step` still
---reported the success of before. The docs say that the modules beside a recipe must not change.

local Workspace = require "spec.support.workspace"

---@param call string
---@param members? string beside the call
local function recipe(call, members)
  return ([[return { Look = { call = function() return { state = %s } end, %s
    waitable = { Seen = { acceptors = { { state = "success", matcher = { output = {
      path = "state", comparator = "stringEquals", expected = "up" } } } } } } } }]]):format(call, members or "")
end

describe("an outcome that rests on a module which an attempt requires", function()
  local workspace = Workspace.of_each()

  for name, row in pairs {
    ["by its name"] = { recipe [[require "late"]] },
    ["through another module"] = { recipe [[require("outer")]] },
    ["by a name that it computes, and lists"] = { recipe([[require("la" .. "te")]], [[modules = { "late" },]]) },
  } do
    it("is not reported once the module has changed: " .. name, function()
      workspace:write("own.lua", row[1])
      workspace:write("outer.lua", [[return require "late"]])
      workspace:write("late.lua", [[return "up"]])
      workspace:shell '"$BIDE" run ./own.lua --max-wait 9s -q --journal j >/dev/full 2>/dev/full'
      assert.equal(0, workspace:shell('"$BIDE" step ./own.lua --max-wait 9s --state s --begin').code)

      workspace:write("late.lua", [[return "down"]])
      workspace:shell('"$BIDE" run ./own.lua --max-wait 9s -q --journal j --resume')
        :says(2, "late.lua has changed since run 1 began")
      workspace:shell('"$BIDE" step ./own.lua --max-wait 9s --state s')
        :says(2, "the recipe, one of its modules, the waiter or a condition is not the one that the wait began with")
    end)
  end

  it("is reported if it has not", function()
    workspace:write("own.lua", recipe [[require "late"]])
    workspace:write("late.lua", [[return "up"]])
    workspace:shell '"$BIDE" run ./own.lua --max-wait 9s -q --journal j >/dev/full 2>/dev/full'
    workspace:shell('"$BIDE" run ./own.lua --max-wait 9s -q --journal j --resume'):says(0, "reporting it now")
  end)
end)
