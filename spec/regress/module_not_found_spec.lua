---A misspelt module came with a line for each of twenty paths, and without the name that was meant.

local Workspace = require "spec.support.workspace"

describe("a module that is not found", function()
  local workspace = Workspace.of_each()

  local function first_line(...)
    return workspace:bide({ ... }).stderr:match "^[^\n]*"
  end

  it("is named with the nearest module of bide", function()
    workspace:write("typo.lua", 'local http = require "bide.htpp"\n')
    local expected = "bide: typo.lua:1: module 'bide.htpp' not found, did you mean \"bide.http\"?"
    assert.equal(expected, first_line("exec", "typo.lua"))
    assert.equal(expected, first_line("list", "typo.lua"))
    assert.equal(expected, first_line("list", "--sandbox", "typo.lua"))
  end)

  it("is said not to be where modules are otherwise", function()
    workspace:write("helper.lua", 'local helper = require "heplers"\n')
    assert.equal("bide: helper.lua:1: module 'heplers' not found beside the recipe, in LUA_PATH or in LUA_CPATH",
      first_line("exec", "helper.lua"))
  end)

  it("stays as Lua has it for a script that catches it", function()
    workspace:write("caught.lua", 'local ok, mistake = pcall(require, "heplers")\nassert(mistake:find "no file")\n')
    assert.equal(0, workspace:bide({ "exec", "caught.lua" }).code)
  end)
end)
