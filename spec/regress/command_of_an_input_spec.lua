---An argv that is no list of texts was taken for a bug of the recipe: exit code 5, and a traceback.

local Workspace = require "spec.support.workspace"

describe("the input argv of the recipe command", function()
  local workspace = Workspace.of_block()

  for argv, mistake in pairs {
    ["[]"] = "argv: expected the program first", ['[""]'] = "argv: expected the program first",
    ['"true"'] = 'argv: expected a list, found "true"; write ["true"]', ["5"] = 'argv: expected a list, found 5; write ["5"]',
    ["{}"] = "argv: expected a list, found a table", ['{"a":"b"}'] = "argv: expected a list, found a table",
    ['["echo",5]'] = 'argv[2]: expected a string, found 5; write ["echo","5"]', ["null"] = "argv: expected a list, found null",
  } do
    it("must be a command, and not " .. argv, function()
      local done = workspace:bide { "run", "command", "argv:=" .. argv, "--max-wait", "1s" }
      assert.same({ 2, "", "bide: " .. mistake .. "\n" }, { done.code, done.stdout, done.stderr })
    end)
  end

  it("may be one", function()
    assert.equal(0, workspace:bide({ "run", "command", 'argv:=["test","1"]', "--max-wait", "50s" }).code)
  end)
end)
