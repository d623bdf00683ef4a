local acceptor = require "bide.acceptor"
local definition = require "bide.recipe.definition"

describe("the acceptors of recipes", function()
  it("are what a waiter takes", function()
    local report = definition.check({ acceptors = {
      acceptor.success(), acceptor.success "retry", acceptor.output("failure", "a == `1`", nil, "b"),
      acceptor.output("success", "a", "b"),
      acceptor.error("retry", "NotFound"), acceptor.transient(), acceptor.transient("LOADING", "BUSY"),
    } }, true)
    assert.same({}, report.problems)
  end)

  it("say what they are called", function()
    assert.same({ state = "retry", matcher = { success = true } }, acceptor.success "retry")
    assert.same({ state = "failure", message = "b",
      matcher = { output = { path = "a == `1`", comparator = "booleanEquals", expected = "true" } } },
      acceptor.output("failure", "a == `1`", nil, "b"))
    assert.same({ state = "failure", message = "b", matcher = { expect = { path = "a", rule = "failure" } } },
      acceptor.output("failure", "a", nil, "b"))
    assert.same({ state = "success", matcher = { output = { path = "a", comparator = "booleanEquals", expected = "true" } } },
      acceptor.output("success", "a"))
    assert.same({ state = "success", matcher = { output = { path = "a", comparator = "stringEquals", expected = "c" } } },
      acceptor.output("success", "a", "c"))
    assert.same({ state = "success", matcher = { errorType = "NotFound" } }, acceptor.error("success", "NotFound"))
  end)

  it("ask again after what may pass, and never after an output", function()
    local passes = acceptor.transient("LOADING", "BUSY").matcher.lua
    for _, name in ipairs { "ConnectionRefused", "LOADING", "BUSY" } do
      assert.is_true(passes { error = { type = name } })
    end
    assert.is_true(passes { error = { type = "X", status = 503 } })
    assert.is_false(passes { error = { type = "Unauthorized", status = 401 } })
    assert.is_false(passes { output = {} })
    assert.is_false(acceptor.transient().matcher.lua { error = { type = "LOADING" } })
  end)
end)
