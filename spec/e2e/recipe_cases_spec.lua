---The cases of the bundled recipes, in spec/cases: each recipe has its file, each acceptor decides in a case, and each change
---of an acceptor or a delay fails one.

local Workspace = require "spec.support.workspace"
local json = require("bide.core").json
local uv = require "luv"

describe("the cases of the bundled recipes", function()
  local workspace = Workspace.of_block()
  local folder = assert(uv.fs_realpath "spec/cases")

  it("are there for each recipe", function()
    local missing = {}
    for name, kind in uv.fs_scandir_next, assert(uv.fs_scandir "scripts") do
      local recipe = kind ~= "directory" and name:match "^(.*)%.lua$"
      if recipe and not uv.fs_stat(("%s/%s.wait.lua"):format(folder, recipe)) then missing[#missing + 1] = recipe end
    end
    assert.same({}, missing)
  end)

  it("are as expected, and cover each acceptor", function()
    local done = workspace:bide { "test", folder, "--min-coverage", "100", "--output", "json" }
    assert.equal(0, done.code, done.stdout .. done.stderr)
    assert.equal(0, json.decode(done.stdout).failed)
  end)

  it("notice each change of an acceptor or a delay", function()
    local done = workspace:bide { "test", folder, "--mutate" }
    assert.equal(0, done.code, done.stdout .. done.stderr)
    assert.matches(" 0 that no case notices\n$", done.stdout)
  end)
end)
