---Where a script had all file descriptors, a C module that bide needed for the first time could not be loaded.

local Workspace = require "spec.support.workspace"

local script = [[
local held = {}
repeat
  local file = io.open "/dev/null"
  held[#held + 1] = file
until not file
for _, name in ipairs { "digest", "sqlite", "transfer" } do print(name, type(require("bide." .. name))) end
]]

describe("a C module", function()
  local workspace = Workspace.of_each { ["script.lua"] = script }

  it("is loaded when no descriptor is left", function()
    local done = workspace:shell 'ulimit -n 64; exec "$BIDE" exec script.lua'
    assert.same({ 0, "digest\ttable\nsqlite\ttable\ntransfer\ttable\n" }, { done.code, done.stdout }, done.stderr)
  end)
end)
