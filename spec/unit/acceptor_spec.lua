local acceptor = require "bide.acceptor"
local definition = require "bide.recipe.waiter.definition"

describe("the acceptors of recipes", function()
  it("are what a waiter takes", function()
    local report = definition.check({ acceptors = {
      acceptor.success(), acceptor.success "retry", acceptor.output("failure", "a == `1`", nil, "b"),
      acceptor.output("success", "a", "b"), acceptor.input_output("success", "output.count >= input.count"),
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

  it("take a connection for refused by no answer, nor after a redirect", function()
    local refused = acceptor.refused("success", "ENOENT").matcher.lua
    assert.is_true(refused { error = { type = "ConnectionRefused" } })
    assert.is_true(refused { error = { type = "ConnectionFailed", code = "ENOENT" } })
    for _, failure in ipairs {
      { type = "ConnectionRefused", status = 500 }, { type = "ConnectionRefused", redirected = true },
      { type = "ConnectionFailed" }, { type = "ConnectionFailed", code = "EAGAIN" }, { type = "RequestTimeout" },
      { type = "NotFound", code = "ENOENT", status = 404 },
    } do assert.is_false(refused { error = failure }) end
    assert.is_false(refused { output = {} })
    assert.is_false(acceptor.refused("success").matcher.lua { error = { type = "ConnectionFailed", code = "ENOENT" } })
  end)

  it("match an error by the statuses of an input", function()
    local is_down = acceptor.status_of("success", "down").matcher.lua
    local input = { down = { "502", "4xx" } }
    for status, matches in pairs { [502] = true, [404] = true, [503] = false, [200] = false } do
      assert.equal(matches, is_down { input = input, error = { type = "X", status = status } })
    end
    assert.is_false(is_down { input = input, error = { type = "X" } })
    assert.is_false(is_down { input = {}, error = { type = "X", status = 502 } })
    assert.is_false(is_down { input = input, output = {} })
  end)
end)
