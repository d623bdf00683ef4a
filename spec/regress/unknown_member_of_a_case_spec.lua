---An unknown option of a test case did not name the nearest of all that a case may have, and a file with one, or with an
---answer that no replay takes, counted as one whose case had failed: exit code 1 in place of 2.

local Workspace = require "spec.support.workspace"

describe("a test file", function()
  local workspace = Workspace.of_block()

  setup(function()
    workspace:write("op.lua", [[return { Op = { call = function() return { state = "done" } end, waitable = { Done = {
      acceptors = { { state = "success", matcher = { success = true } } } } } } }]])
  end)

  for members, message in pairs {
    ['answers = { { output = {} } }, options = { untill = "state" }'] = 'untill: unknown option, did you mean "until"?',
    ['answers = { { output = {} } }, options = { failMessage = "x" }'] = "failMessage: unknown option",
    ["answers = { { output = {} } }, options = { holt = 2 }"] = 'holt: unknown option, did you mean "hold"?',
    ["answers = { { outpt = {} } }"] = 'answers[1]: outpt: unknown member, did you mean "output"?',
    ["answers = {}"] = "answers: expected at least one, found none",
  } do
    it("is broken with " .. members, function()
      workspace:write("op.wait.lua", ([[return { recipe = "./op.lua", { name = "case", %s,
        expect = { state = "success", attempts = 1 } } }]]):format(members))
      local done = workspace:bide { "test", "op.wait.lua" }
      assert.same({ 2, "" }, { done.code, done.stdout })
      assert.matches(message, done.stderr, 1, true)
    end)
  end
end)
