local core = require "bide.core"
local matchers = require "bide.recipe.waiter.matchers"

describe("the rows of matchers", function()
  ---The core's answer to a member whose value no matcher takes.
  local function mistake_of(name)
    local ok, mistake = pcall(core.wait.definition, 1, 1, { { state = "success", matcher = { [name] = -1 } } })
    return not ok and mistake or nil
  end

  it("have a row of the same name in the core each", function()
    assert.matches("a matcher must have a member", mistake_of "nope")
    for _, kind in ipairs(matchers.kinds) do
      assert.not_matches("a matcher must have a member", mistake_of(kind.name) or "", kind.name)
    end
  end)

  it("are found by the member that a matcher has", function()
    for _, kind in ipairs(matchers.kinds) do
      local found, value = matchers.of { [kind.name] = false }
      assert.equal(kind, found)
      assert.is_false(value)
    end
  end)
end)
