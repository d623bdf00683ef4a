---`error { type = "" }` was an operation error without a name, which an acceptor with `success = false` took for the end that
---it waits for; a line of a replay could have one, too.

local Workspace = require "spec.support.workspace"

local recipe = [[
local ways = {
  empty = function() error { type = "" } end, blank = function() error { type = " \n" } end,
  class = function() error(setmetatable({}, { __index = { type = "" } })) end,
}
return { Get = {
  input = { how = { type = "string" } }, call = function(input) return ways[input.how]() end,
  waitable = {
    Gone = { minDelay = 0.01, acceptors = { { state = "success", matcher = { success = false } } } },
    There = { minDelay = 0.01, acceptors = { { state = "success", matcher = { success = true } } } },
  },
} }]]

describe("an error without a name", function()
  local workspace = Workspace.of_block { ["recipe.lua"] = recipe }

  for how, line in pairs { empty = 2, blank = 2, class = 3 } do
    it("is a script error: " .. how, function()
      for _, waiter in ipairs { "Gone", "There" } do
        local outcome, done = workspace:outcome { "run", "./recipe.lua", waiter, "how=" .. how, "--max-wait", "50s" }
        assert.equal(5, done.code)
        assert.equal("scriptError", outcome.reason)
        assert.matches(("recipe.lua:%d: "):format(line), outcome.message, 1, true)
        assert.matches("a table with an empty type was raised", outcome.message, 1, true)
      end
    end)
  end

  it("is a mistake of a replay", function()
    for _, name in ipairs { "", " " } do
      workspace:write("answers.jsonl", ('{"error": {"type": "%s"}}\n'):format(name))
      local done = workspace:bide { "replay", "./recipe.lua", "Gone", "answers.jsonl", "how=x", "--max-wait", "1s" }
      done:says(2, "error.type: expected a text that is not empty")
    end
  end)
end)
