---Functions that scripts add to JMESPath.

local core = require "bide.core"

local json, jmespath = core.json, core.jmespath

jmespath.register("spec_double", { "number", returns = "number" }, function(number) return number * 2 end)
jmespath.register("spec_pair", { "any", "any" }, function(a, b) return json.array { a, b } end)
jmespath.register("spec_count", { "any", variadic = true, returns = "number" }, function(...) return select("#", ...) end)
jmespath.register("spec_text", { "string|null" }, function(text) return text == json.null and "none" or text end)
jmespath.register("spec_raise", {}, function() error { type = "Odd", message = "raised" } end)
jmespath.register("spec_fail", {}, function() error("on purpose", 0) end)
jmespath.register("spec_function", {}, function() return print end)
jmespath.register("spec_nothing", {}, function() end)
jmespath.register("spec_yield", {}, function() coroutine.yield() end)

local function search(expression, value)
  return assert(jmespath.compile(expression)):search(value)
end

describe("a registered function", function()
  it("is called with Lua values, and gives one", function()
    assert.equal(42, search("spec_double(a)", { a = 21 }))
    assert.same({ 2, 4 }, search("[].spec_double(@)", { 1, 2 }))
    assert.same({ 1, { 2 } }, search("spec_pair(@[0], @[1:])", { 1, 2 }))
    assert.same({ json.null, json.null }, search("spec_pair(a, b)", {}))
    assert.equal(3, search("spec_count(a, b, c)", {}))
    assert.equal("none", search("spec_text(a)", {}))
    assert.equal(json.null, search("spec_nothing()", {}))
    assert.same({ 3, 1, 2 }, search("sort_by(@, &spec_double(`0`))", { 3, 1, 2 }))
  end)

  it("has its arguments checked as any function has", function()
    assert.equal("invalid-arity", select(2, jmespath.compile("spec_double()")).kind)
    assert.equal("invalid-arity", select(2, jmespath.compile("spec_count()")).kind)
    local _, failure = search("spec_double('x')", {})
    assert.equal("invalid-type", failure.kind)
    assert.equal("argument 1 of spec_double() must be a number, not string: \"x\"", failure.message)
    _, failure = search("spec_function()", {})
    assert.equal("invalid-type", failure.kind)
  end)

  it("is among the functions, and among what was meant", function()
    assert.truthy(table.concat(jmespath.functions(), " "):find("spec_double", 1, true))
    assert.equal("there is no function spec_doubel(); did you mean spec_double()?",
      select(2, jmespath.compile("spec_doubel(@)")).message)
  end)

  it("that raises, raises from the search", function()
    local ok, raised = pcall(search, "spec_raise()", {})
    assert.is_false(ok)
    assert.same({ type = "Odd", message = "raised" }, raised)
    ok, raised = pcall(search, "[*].spec_fail()", { 1, 2, 3 })
    assert.is_false(ok)
    assert.equal("on purpose", raised)
    assert.equal(2, search("spec_double(@)", 1))
  end)

  it("may not yield", function()
    local thread = coroutine.create(function() return search("spec_yield()", {}) end)
    local ok, raised = coroutine.resume(thread)
    assert.is_false(ok)
    assert.truthy(tostring(raised):find("yield", 1, true))
  end)

  it("may search, even with the expression that calls it", function()
    local expression
    jmespath.register("spec_again", { "number" }, function(number)
      if number == 0 then return { text = "end" } end
      return { inner = expression:search { n = number - 1 } }
    end)
    expression = jmespath.compile("[spec_again(n), n]")
    assert.equal('[{"inner":[{"inner":[{"text":"end"},0]},1]},2]', json.encode(expression:search { n = 2 }))
    assert.equal('[{"text":"end"},0]', json.encode(expression:search { n = 0 }))
  end)

  it("may return a document, which then lives as long as the result", function()
    jmespath.register("spec_document", {}, function() return { json.read('{"long":"text that is borrowed"}') } end)
    local result = jmespath.compile("spec_document()[0].long"):query(json.document {})
    collectgarbage()
    collectgarbage()
    assert.equal('"text that is borrowed"', result:json())
  end)

  it("works in a coroutine", function()
    local thread = coroutine.wrap(function() return search("spec_double(@)", 4) end)
    assert.equal(8, thread())
  end)

  local refused = {
    { "abs", {}, "the function abs() exists already" },
    { "spec_double", {}, "the function spec_double() exists already" },
    { "a-b", {}, "a function's name has letters, digits and underscores" },
    { "1a", {}, "a function's name has letters, digits and underscores" },
    { "", {}, "a function's name has letters, digits and underscores" },
    { "spec_new", { "strnig" }, "'strnig' is not a type" },
    { "spec_new", { "string|" }, "'string|' is not a type" },
    { "spec_new", { returns = "text" }, "'text' is not a type" },
  }
  for _, case in ipairs(refused) do
    it("is refused: " .. case[3], function()
      local ok, raised = pcall(jmespath.register, case[1], case[2], print)
      assert.is_false(ok)
      assert.truthy(raised:find(case[3], 1, true), raised)
    end)
  end
end)
