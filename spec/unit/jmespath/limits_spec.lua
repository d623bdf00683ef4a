---No expression, however it was made, hangs or exhausts who runs it.

local core = require "bide.core"

local json, jmespath = core.json, core.jmespath

local numbers = {}
for i = 1, 2000 do numbers[i] = i end
local document = json.document(numbers)
local literal = "`" .. json.encode(numbers) .. "`"

local function many(text, count)
  return text:rep(count)
end

local cases = {
  ["a product of projections"] = { many("[*].[", 5) .. "@" .. many("]", 5), json.read("1"), "null" },
  ["a sort over a product of projections"] = {
    "[*].{a: @, b: " .. literal .. "}[].b[].{c: @, d: " .. literal .. "}[].d[] | sort(@)", document, "limit" },
  ["a sum over a map of maps"] = {
    "map(&sum(map(&sum(" .. literal .. "), " .. literal .. ")), @)", document, "limit" },
  ["a long condition over many elements"] = {
    "[*].[" .. literal .. "[?a" .. many(" && a", 2000) .. many(" || b", 2000) .. "]]", document, "limit" },
  ["a long expression over a map of maps"] = {
    "map(&map(&(a" .. many(" || a", 2000) .. "), " .. literal .. "), @)", document, "limit" },
  ["a row of multi-selects that are flattened at once"] = {
    many("[!a, !a, !a, !a, !a, !a, !a, !a, !a, !a][][].", 12) .. "[!a]", json.read("{}"), "limit" },
  ["values that double, forty times"] = { "@" .. many(" | [@, @]", 40), json.read("1"), "limit" },
  ["the text of values that double"] = { "@" .. many(" | [@, @]", 40) .. " | to_string(@)", json.read("1"), "limit" },
  ["equality of values that double"] = {
    "[@" .. many(" | [@, @]", 40) .. ", @" .. many(" | [@, @]", 40) .. "] | [0] == [1]", json.read("1"), "limit" },
  ["flattening values that double"] = { "@" .. many(" | [@, @]", 40) .. many("[]", 40), json.read("1"), "limit" },
  ["joining strings that double"] = { "@" .. many(" | join(@, [@, @, @])", 25), json.read('"aaaa"'), "limit" },
  ["a long string"] = { "join(@, ['a', 'b', 'c'])", json.read('"' .. many("y", 100000) .. '"'), "string" },
  ["values that double, fifteen times"] = { "@" .. many(" | [@, @]", 15), json.read("1"), "array" },
}

describe("a search", function()
  for name, case in pairs(cases) do
    it("of " .. name .. " ends: " .. case[3], function()
      local expression = assert(jmespath.compile(case[1]))
      local before = os.clock()
      local result, failure = expression:query(case[2])
      assert.is_true(os.clock() - before < 10)
      assert.equal(case[3], failure and failure.kind or result:type())
      if failure then assert.truthy(#failure.message > 10) end
    end)
  end

  local doubled = "@" .. many(" | [@, @]", 40)
  local messages = {
    ["the search takes more than 100000000 steps"] = { "[" .. doubled .. ", " .. doubled .. "] | [0] == [1]", "1" },
    ["the search takes more than 256 MiB"] = { doubled .. many("[]", 40), "1" },
    ["the result holds more than 10000000 values"] = { doubled, "1" },
    ["join() would make a string of 976562500 bytes; a search is limited to 256 MiB"] =
      { "@" .. many(" | join(@, [@, @, @])", 25), '"aaaa"' },
    ["to_string() would make too long a text; a search is limited to 256 MiB"] = { doubled .. " | to_string(@)", "1" },
  }
  for message, case in pairs(messages) do
    it("that goes too far says which limit it met: " .. message, function()
      local _, failure = assert(jmespath.compile(case[1])):query(json.read(case[2]))
      assert.equal("limit", failure.kind)
      assert.equal(message, failure.message)
    end)
  end

  it("goes on after one that met a limit", function()
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
