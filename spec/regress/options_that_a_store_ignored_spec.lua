---`--rate none` beside --store was accepted, where other rates are refused: it is false, which counted as not given.

local Workspace = require "spec.support.workspace"

describe("a command with --store", function()
  local workspace = Workspace.of_each()

  local function refusal_of(command, ...)
    workspace:write("look.lua", [[
return { Look = {
  call = function() return {} end,
  waitable = { Seen = { acceptors = { { state = "success", matcher = { success = true } } } } },
} }
]])
    local done = workspace:bide { command, "look.lua", "--max-wait", "9s", "--store", "s.db", ... }
    assert.equal(2, done.code)
    return done.stderr
  end

  it("refuses --rate none as any other rate", function()
    for _, command in ipairs { "run", "submit" } do
      assert.matches("--rate: not with --store: the rates of recipes hold", refusal_of(command, "--rate", "none"), 1, true)
    end
  end)

  it("takes --no-watch, as workers only poll", function()
    workspace:write("look.lua", "return {}")
    local done = workspace:bide { "run", "look.lua", "--max-wait", "50s", "--store", "s.db", "--no-watch" }
    assert.is_nil(done.stderr:find("--no-watch", 1, true), done.stderr)
  end)
end)
