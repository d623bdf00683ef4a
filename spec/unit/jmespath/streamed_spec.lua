---What streams, or is folded together, gives what the same gives step by step: a list between
---two steps, `[a][0]`, keeps them apart.

local core = require "bide.core"

local json, jmespath = core.json, core.jmespath

local documents = {}
for _, text in ipairs {
  '{"a":[{"b":1,"c":[1,[2],null]},{"b":null,"c":{"a":[{"b":"x"}]}},null,[{"b":2},{"b":[3,[4]]}],5,"x"],"b":{"a":[1]}}',
  '{"a":[{"a":[{"b":"x","c":1},{"b":"y"},{"b":"x"}],"b":2},{"a":[{"b":"x"}],"b":1.5},{"a":null},null],"c":[null,"x"]}',
  '[[1,[2,[3]]],null,{"a":[1]},{"b":{"c":"x"}}]',
  "null",
} do
  documents[#documents + 1] = json.read(text)
end

local random = math.random

local function one_of(choices)
  return choices[random(#choices)]
end

local expression

local function multi_select(depth)
  local items = {}
  for i = 1, one_of { 1, 1, 2, 3 } do items[i] = expression(depth) end
  return "[" .. table.concat(items, ", ") .. "]"
end

function expression(depth)
  if depth <= 0 then return one_of { "a", "b", "c", "@", "`1`", "`null`", "'x'", "`[1, [2], null]`" } end
  return one_of {
    function() return one_of { "a", "b", "c" } .. one_of { "[]", "[*]", "[1:]", "[?b == 'x']", ".*", ".b" } end,
    function() return "a[?" .. expression(depth - 1) .. "]" end,
    function() return "a[]." .. multi_select(depth - 1) .. one_of { "", "[]", "[].b", "[][]" } end,
    function() return "length(" .. expression(depth - 1) .. ")" end,
    function() return "not_null(" .. expression(depth - 1) .. ")" end,
    function() return "(" .. expression(depth - 1) .. one_of { " == ", " < ", " && " } .. expression(depth - 1) .. ")" end,
  }()
end

---Where several elements raise, which of them is met first is left open.
local function answer(text, document)
  local result, failure = assert(jmespath.compile(text)):query(document)
  return result and result:json() or failure.kind
end

local function assert_same(streamed, apart)
  for _, document in ipairs(documents) do
    assert.same(answer(apart, document), answer(streamed, document), streamed)
  end
end

describe("streaming gives the same:", function()
  for seed = 1, 20 do
    it("a flatten of multi-selects, seed " .. seed, function()
      math.randomseed(seed)
      for _ = 1, 100 do
        local over = one_of { "a[]", "a[*]", "a[1:]", "a.*", "*", "[]", "a[?" .. expression(1) .. "]" }
        local lists = over .. "." .. multi_select(2)
        local rest = one_of { "[]", "[].b", "[]." .. multi_select(1), "[]." .. multi_select(1) .. "[]", " | []" }
        assert_same(lists .. rest, "[" .. lists .. "][0]" .. rest)
      end
    end)

    it("the length of a filter, seed " .. seed, function()
      math.randomseed(seed)
      for _ = 1, 100 do
        local filter = one_of { "a", "c" } .. "[?" .. one_of { "b == 'x'", "b != 'x'", expression(2) } .. "]"
        assert_same("length(" .. filter .. ")", "length([" .. filter .. "][0])")
      end
    end)
  end
end)
