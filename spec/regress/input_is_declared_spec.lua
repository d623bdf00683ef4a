---`bide.input` of 0.2.0 has become `input` beside `call`; the old way works, and warns once.

local Workspace = require "spec.support.workspace"

describe("bide.input", function()
  local workspace = Workspace.of_each()

  before_each(function()
    workspace:write("things.lua", [[
      local check, other = require "bide.input" { required = { "url" } }, require "bide.input" { optional = { "a" } }
      return { Get = { call = function(input) other {} return { url = check(input).url } end,
        waitable = { Got = { acceptors = { { state = "success", matcher = { success = true } } } } } } }
    ]])
  end)

  local function run(...) return workspace:bide { "run", "things.lua", "--max-wait", "50s", "--quiet", ... } end

  it("works, and warns once", function()
    local done = run "url=x"
    assert.same({ 0, "bide: warning: bide.input { … } is now declared as input = { … } beside call; "
      .. "the old function goes with the next release\n" }, { done.code, done.stderr })
    assert.matches("InvalidInput: the input url is missing", run().stderr)
  end)
end)
