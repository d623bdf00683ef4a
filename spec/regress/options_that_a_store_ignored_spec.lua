---`--rate none` and `--no-watch` beside --store had no effect, and nothing said so: `none` is false, which counted as not
---given, and the other one was missing from the options that a store refuses.

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

  it("refuses --no-watch", function()
    assert.matches("--no-watch: not with --store", refusal_of("run", "--no-watch"), 1, true)
  end)
end)
