---The cases of the bundled recipes, in spec/cases. Not every acceptor has one yet.

local Workspace = require "spec.support.workspace"
local json = require("bide.core").json
local uv = require "luv"

describe("the cases of the bundled recipes", function()
  local folder, workspace = assert(uv.fs_realpath "spec/cases"), nil

  setup(function() workspace = Workspace.make() end)
  teardown(function() workspace:remove() end)

  it("are as expected, and cover no fewer acceptors than before", function()
    local done = workspace:bide { "test", folder, "--output", "json" }
    local report = json.decode(done.stdout)
    assert.equal(0, done.code, done.stdout .. done.stderr)
    assert.equal(0, report.failed)
    assert.is_true(report.coverage.decided >= 260, ("%d acceptors decided"):format(report.coverage.decided))
  end)
end)
