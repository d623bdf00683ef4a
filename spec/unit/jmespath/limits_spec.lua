---The limits of an expression, and what a search may do within its own; spec/e2e/search_limits_spec.lua meets those.

local core = require "bide.core"

local json, jmespath = core.json, core.jmespath

local function many(text, count)
  return text:rep(count)
end

local cases = {
  ["a product of projections"] = { many("[*].[", 5) .. "@" .. many("]", 5), json.read("1"), "null" },
  ["a long string"] = { "join(@, ['a', 'b', 'c'])", json.read('"' .. many("y", 100000) .. '"'), "string" },
  ["values that double, fifteen times"] = { "@" .. many(" | [@, @]", 15), json.read("1"), "array" },
}

describe("a search", function()
  for name, case in pairs(cases) do
    it("of " .. name .. " stays within the limits", function()
      local result = assert(assert(jmespath.compile(case[1])):query(case[2]))
      assert.equal(case[3], result:type())
    end)
  end

  it("continues after one that met a limit", function()
    local expression = jmespath.compile("@" .. many(" | [@, @]", 40))
    assert.is_nil((expression:search(1)))
    assert.equal(1, jmespath.compile("@"):search(1))
  end)
end)

describe("an expression", function()
  local limits = {
    { many("(", 1001) .. "a" .. many(")", 1001), "the expression is nested too deeply, beyond 1000 levels" },
    { many("a", 65537), "the expression is longer than 65536 bytes" },
    { "a" .. many(" < a", 257), "more than 256 comparators in a row" },
  }
  for _, case in ipairs(limits) do
    it("meets a limit: " .. case[2], function()
      local _, failure = jmespath.compile(case[1])
      assert.equal("limit", failure.kind)
      assert.equal(case[2], failure.message)
    end)
  end

  it("of 256 comparators in a row is taken", function()
    assert.truthy(jmespath.compile("a" .. many(" < a", 256)))
    assert.truthy(jmespath.compile("(a" .. many(" < a", 100) .. ")" .. many(" < a", 156)))
  end)

  it("of 65536 bytes is taken", function()
    assert.truthy(jmespath.compile(many("a", 65536)))
  end)
end)
