---A file that appeared between two system calls was reported as a file before a slash, and the wait for it failed.

local Workspace = require "spec.support.workspace"

describe("what remains at a path where no file was found", function()
  local workspace = Workspace.of_each()

  it("is nothing if the file has appeared since", function()
    workspace:write("script.lua", [[
      local system = require "bide.probe.file.system"
      print(system.remains "./script.lua", system.remains ".", system.remains "./", (system.remains "./script.lua/"))]])
    local done = workspace:bide { "exec", "script.lua" }
    assert.equal("nil\tnil\tnil\tNotAFolder\n", done.stdout, done.stderr)
  end)
end)
