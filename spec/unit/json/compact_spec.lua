local core = require "bide.core"
local json = core.json

---Returns a random value that JSON can represent.
local function value(random, depth)
  local kind = random(depth > 3 and 6 or 8)
  if kind == 1 then return json.null end
  if kind == 2 then return random(2) == 1 end
  if kind == 3 then return random(0) end
  if kind == 4 then return random(1000) / 8 end
  if kind == 5 then return random(100) + 0.0 end
  if kind == 6 then return ("\0é\"\\\n"):rep(random(4) - 1) .. random(100) end
  local made = {}
  if kind == 7 then
    for position = 1, random(4) - 1 do made[position] = value(random, depth + 1) end
    return json.array(made)
  end
  for _ = 1, random(4) - 1 do made["name" .. random(9)] = value(random, depth + 1) end
  return made
end

describe("a compact document", function()
  it("is the same as the one that it was made of, to the byte", function()
    math.randomseed(7)
    for _ = 1, 2000 do
      local document = assert(json.document(value(math.random, 1)))
      local compact = json.compact(document)
      assert.is_true(document:is_same(compact) and compact:is_same(document), tostring(document))
      assert.equal(tostring(document), tostring(compact))
      assert.same(document:value(), compact:value())
      assert.equal(document:type(), compact:type())
      assert.equal(#document, #compact)
    end
  end)

  it("is a document to all that takes one", function()
    local document = assert(json.document { a = { b = 1.5, c = json.array {} } })
    local compact = json.compact(document)
    assert.is_true(document:is_same(assert(json.document(compact))))
    assert.equal('{"d":{"a":{"b":1.5,"c":[]}}}', assert(json.document { d = compact }):json())
    assert.equal("1.5", assert(core.jmespath.compile "a.b"):query(compact):json())
    assert.same({ "b", "c" }, compact:names "a")
    assert.is_false(json.is_array(compact))
    assert.is_true(document:is_same(json.compact(compact)))
  end)

  it("stays readable while another one is read", function()
    local one, other = json.compact(assert(json.document { a = 1 })), json.compact(assert(json.document { a = 2 }))
    assert.is_false(one:is_same(other))
    assert.equal('[{"a":1},{"a":2},{"a":1}]', assert(json.document { one, other, one }):json())
  end)

  it("is read by a matcher of input and output, and by no other one", function()
    local function decide(matcher)
      local definition = core.wait.definition(1, 1, { { state = "success", matcher = matcher } })
      local state = core.wait.kind(definition, { min_delay = 1, max_delay = 1, max_wait = 9 }):start(0, 0)
      state:begin()
      return (state:observe(1, { input = json.compact(assert(json.document { name = "x" })),
        output = assert(json.document { name = "x" }) }))
    end
    assert.equal("success", decide { inputOutput = { path = "input.name == output.name", comparator = "booleanEquals",
      expected = "true" } })
    assert.equal("success", decide { output = { path = "name", comparator = "stringEquals", expected = "x" } })
  end)

  it("is a large document itself", function()
    local document = assert(json.document { text = ("x"):rep(5000) })
    assert.equal(document, json.compact(document))
  end)
end)
