---A signal was heeded only where the script could yield: a matcher, or the
---function of table.sort, kept bide running until the deadline, or for ever.

local Workspace = require "spec.support.workspace"

local recipe = [[
local function endless() io.stderr:write("begun\n") while true do end end
local function definition(lua)
  return { acceptors = { { state = "success", matcher = { lua = lua } } } }
end
return {
  Op = {
    call = function(input)
      if input.sorts then table.sort({ 3, 1, 2 }, endless) end
      return {}
    end,
    waitable = {
      MatcherLoops = definition(endless),
      PcallLoops = definition(function() while true do pcall(endless) end end),
      Sorts = definition(function() table.sort({ 3, 1, 2 }, endless) end),
    },
  },
}]]

local script = [[
local bide = require "bide"
local function endless() io.stderr:write("begun\n") while true do end end
local calls = {
  gsub = function() string.gsub("a", "a", endless) end,
  wait = function()
    bide.waiter { call = endless, acceptors = { { state = "success", matcher = { success = true } } } }
      :wait({}, { maxWait = 60 })
  end,
}
calls[...]() ]]

describe("a signal, while a C function calls Lua that never ends", function()
  local workspace = Workspace.of_block { ["recipe.lua"] = recipe, ["script.lua"] = script }

  local cases = {
    { "in a matcher", "run", "recipe.lua", "MatcherLoops", "--max-wait", "1m" },
    { "in a matcher that wraps its loop in pcall", "run", "recipe.lua", "PcallLoops", "--max-wait", "1m" },
    { "in a matcher that sorts", "run", "recipe.lua", "Sorts", "--max-wait", "1m" },
    { "in an operation that sorts", "run", "recipe.lua", "Sorts", "sorts:=true", "--max-wait", "1m" },
    { "in a script", "exec", "script.lua", "gsub" },
    { "in an operation that a script waits for", "exec", "script.lua", "wait" },
  }

  for _, case in ipairs(cases) do
    it("ends it at once, " .. case[1], function()
      local running = workspace:start(table.move(case, 2, #case, 1, {}))
      running:wait_for_output("begun")
      running:kill("sigterm")
      local done = running:wait()
      assert.equal(143, done.code)
      if case[2] == "run" then assert.matches("was cancelled after 1 attempt", done.stderr) end
    end)
  end
end)
