---A message handler of xpcall that never returns held bide up for ever, beyond the deadline and
---TERM alike: where the hook raises, the handler runs without a hook. And a tree of coroutines, each
---of them short, was never looked at, since every coroutine counts its instructions anew.

local Workspace = require "spec.support.workspace"

describe("the deadline", function()
  local workspace = Workspace.of_block()

  local cases = {
    { "a handler of xpcall", "xpcall(error, function() while true do end end)" },
    { "a handler of a handler", "xpcall(error, function() xpcall(error, function() while true do end end) end)" },
    { "a tree of coroutines", "local function grow(depth) if depth > 0 then for _ = 1, 20 do "
      .. "coroutine.wrap(grow)(depth - 1) end end end grow(30)" },
  }

  for _, case in ipairs(cases) do
    it("ends " .. case[1], function()
      workspace:write("recipe.lua", ([[return { Op = { call = function() %s end, waitable = { Done = { acceptors = {
        { state = "success", matcher = { success = true } } } } } } }]]):format(case[2]))
      workspace:bide({ "run", "recipe.lua", "--max-wait", "100ms" }):ends(124)
    end)
  end
end)
