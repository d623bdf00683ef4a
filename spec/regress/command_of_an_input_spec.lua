---An argv that is no list of texts was taken for a bug of the recipe: exit code 5, and a traceback.

local Workspace = require "spec.support.workspace"

describe("the input argv of the recipe command", function()
  local workspace

  setup(function() workspace = Workspace.make() end)
  teardown(function() workspace:remove() end)

  for _, argv in ipairs { "[]", '"true"', "5", "{}", '["echo",5]', '[""]', '{"a":"b"}', "null" } do
    it("must be a command, and not " .. argv, function()
      local outcome, done = workspace:outcome { "run", "command", "argv:=" .. argv, "--max-wait", "1s" }
      assert.same({ 3, "InvalidInput" }, { done.code, outcome.error.type })
      assert.matches("argv: expected a list of strings, the program first, found " .. argv, outcome.error.message, 1, true)
    end)
  end

  it("may be one", function()
    assert.equal(0, workspace:bide({ "run", "command", 'argv:=["test","1"]', "--max-wait", "1s" }).code)
  end)
end)
