---A recipe that gave `expect.text` a table as its output ended with "attempt to call a nil value (method 'type')" once
---`matches` had groups, although the output of an operation may be any value.

local Workspace = require "spec.support.workspace"

describe("the groups of matches", function()
  local workspace = Workspace.of_block()

  it("join an output that is a table, and no other value", function()
    workspace:write("version.lua", [[
      local expect = require "bide.expect"
      return { Get = {
        input = expect.inputs { plain = { type = "boolean" } }, check = expect.mistake,
        call = function(input) return expect.text("v12", input, input.plain and 7 or { size = 3 }) end,
        waitable = { Found = { acceptors = { expect.success() } } },
      } }
    ]])
    local done = workspace:shell [["$BIDE" ./version.lua 'matches=v(\d+)' --max-wait 50s --output json | "$BIDE" query -c output]]
    assert.equal('{"captures":["12"],"size":3}\n', done.stdout, done.stderr)
    done = workspace:shell [["$BIDE" ./version.lua plain=true 'matches=v(\d+)' --max-wait 50s --explain]]
    assert.matches("the output is not an object, and gets no member captures", done.stderr, 1, true)
  end)
end)
