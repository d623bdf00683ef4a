---A table of a recipe with an endless metamethod held bide forever: the time of --load-timeout only ran while the file
---itself did.

local Workspace = require "spec.support.workspace"

describe("an endless metamethod of a recipe", function()
  local workspace = Workspace.of_each()

  for member, recipe in pairs {
    input = "input = endless, waitable = {}",
    waitable = "waitable = endless",
  } do
    it(("is ended by --load-timeout: %s"):format(member), function()
      workspace:write("things.lua", ([[
        local endless = setmetatable({}, { __pairs = function() while true do end end })
        return { Get = { call = function() end, %s } }
      ]]):format(recipe))
      local done = workspace:bide({ "run", "things.lua", "--max-wait", "1s", "--load-timeout", "300ms" })
      done:says(2, "things.lua: it takes too long to load")
    end)
  end
end)
