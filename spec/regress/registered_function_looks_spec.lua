---A registered JMESPath function that raised an operation error was told as "a table without
---a type", one that wanted to wait as a C function that had called it. Neither named it.

local bide = require "bide"
local Workspace = require "spec.support.workspace"

local recipe = [[
local bide = require "bide"
bide.jmespath.register("typed", {}, function() error { type = "Odd", message = "by a function" } end)
bide.jmespath.register("waits", {}, function() bide.sleep(1) end)
bide.jmespath.register("untyped", {}, function() error { 1 } end)
bide.jmespath.register("yields", {}, function() coroutine.yield() end)
bide.jmespath.register("nested", {}, function() return bide.jmespath("waits()"):search {} end)
local function waiter(path)
  local matcher = { output = { path = path, comparator = "booleanEquals", expected = "true" } }
  return { acceptors = { { state = "success", matcher = matcher } } }
end
return { Get = { call = function() return {} end, waitable = {
  Typed = waiter "typed()", Waits = waiter "waits()", Untyped = waiter "untyped()",
  Yields = waiter "yields()", Nested = waiter "nested()",
} } }
]]

describe("a registered JMESPath function", function()
  local workspace = Workspace.of_block { ["recipe.lua"] = recipe }

  local cases = {
    { "Typed", "the JMESPath function typed() raised the operation error Odd; it may not raise one" },
    { "Waits", "recipe.lua:3: the JMESPath function waits() may not wait" },
    { "Untyped", "recipe.lua:4: a table without a type was raised, which is not an operation error" },
    { "Yields", "the JMESPath function yields() may not yield: attempt to yield across a C-call boundary" },
    { "Nested", "recipe.lua:3: the JMESPath function waits() may not wait" },
  }
  for _, case in ipairs(cases) do
    it("may only look: " .. case[1], function()
      local outcome, done = workspace:outcome { "run", "recipe.lua", case[1], "--max-wait", "50s" }
      assert.equal(5, done.code)
      assert.equal("scriptError", outcome.reason)
      assert.equal(case[2], outcome.message)
    end)
  end

  it("forbids waiting no longer than it runs", function()
    bide.jmespath.register("spec_looks", {}, function() return true end)
    bide.jmespath.register("spec_raises", {}, function() error "on purpose" end)
    assert.is_true(bide.jmespath("spec_looks()"):search {})
    assert.is_false((pcall(function() bide.jmespath("spec_raises()"):search {} end)))
    bide.sleep(0.001)
  end)

  it("within a matcher leaves the matcher's own ban on waiting", function()
    workspace:write("matcher.lua", [[
      local bide = require "bide"
      bide.jmespath.register("looks", {}, function() return true end)
      return { Get = { call = function() return {} end, waitable = { Waits = { acceptors = {
        { state = "success", matcher = { lua = function() bide.jmespath("looks()"):search {} bide.sleep(1) return true end } },
      } } } } }
    ]])
    local outcome = workspace:outcome { "run", "matcher.lua", "--max-wait", "50s" }
    assert.equal("matcher.lua:4: a matcher may not wait", outcome.message)
  end)

  it("is refused with the line of who registers it", function()
    local ok, raised = pcall(function() bide.jmespath.register("a-b", {}, print) end)
    assert.is_false(ok)
    assert.matches("^spec/regress/[%w_]+%.lua:%d+: .*a function's name has letters", raised)
    ok, raised = pcall(function() bide.jmespath.register("spec_none", {}) end)
    assert.is_false(ok)
    assert.matches("function expected", raised)
    assert.is_false((pcall(function() bide.jmespath.register(nil, {}, print) end)))
  end)
end)
