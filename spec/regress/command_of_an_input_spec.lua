---An argv that is no list of texts was taken for a bug of the recipe: exit code 5, and a traceback.

local Workspace = require "spec.support.workspace"

describe("the input argv of the recipe command", function()
  local workspace

  setup(function() workspace = Workspace.make() end)
  teardown(function() workspace:remove() end)

  for _, argv in ipairs { "[]", '"true"', "5", "{}", '["echo",5]', '[""]', '{"a":"b"}', "null" } do
    it("must be a command, and not " .. argv, function()
      local done = workspace:bide { "run", "command", "argv:=" .. argv, "--max-wait", "1s" }
      assert.same({ 2, "" }, { done.code, done.stdout })
      assert.matches("^bide: argv[%[%d%]]*: expected ", done.stderr)
    end)
  end

  it("may be one", function()
    assert.equal(0, workspace:bide({ "run", "command", 'argv:=["test","1"]', "--max-wait", "1s" }).code)
  end)
end)
