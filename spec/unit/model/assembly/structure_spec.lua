---The structure of a JSON AST: C finds the shapes that are broken, Lua says what is wrong with them.

local core = require "bide.core"
local model = require "bide.model"
local structure = require "bide.model.assembly.structure"

local json = core.json

local function outline(text)
  return core.model.outline(assert(json.read(text)), "a#trait")
end

describe("the outline of a model", function()
  it("has the shapes in their order, what they refer to, and which of them have the trait", function()
    local found = outline [[{"shapes": {
      "z#S": {"type": "structure", "members": {"a": {"target": "z#L"}, "b": {"target": "z#None"}}, "traits": {"a#trait": 1}},
      "z#L": {"type": "list", "mixins": [{"target": "z#M"}], "traits": {"a#trait": null}},
      "z#R": {"type": "resource", "read": {"target": "z#Read"}, "identifiers": {"id": {"target": "smithy.api#String"}}},
      "z#B": {"type": 1} }}]]
    assert.same({ "z#S", "z#L", "z#R" }, found.ids)
    assert.same({ "structure", "list", "resource" }, found.types)
    assert.same({ "z#B" }, found.broken)
    assert.same({ "z#L" }, found.mixed)
    assert.same({ "z#S" }, found.marked)
    assert.same({ ["z#None"] = true, ["z#M"] = true, ["z#Read"] = true, ["smithy.api#String"] = true }, found.foreign)
  end)

  it("is empty without shapes, and nil where they are no object", function()
    for _, text in ipairs { "{}", '{"shapes": null}', '{"shapes": {}}', "[]", "1" } do
      assert.same({}, outline(text).ids)
    end
    assert.is_nil(outline '{"shapes": []}')
    assert.has_error(function() core.model.outline({}, "a#trait") end)
    assert.has_error(function() core.model.outline(json.read "{}") end)
  end)

  it("knows many ids", function()
    local parts = {}
    for number = 1, 1000 do
      parts[number] = ('"a#S%d": {"type": "list", "member": {"target": "a#S%d"}}'):format(number, 1001 - number)
    end
    parts[1001] = '"a#L": {"type": "list", "member": {"target": "a#S1001"}}'
    local found = outline(('{"shapes": {%s}}'):format(table.concat(parts, ", ")))
    assert.equal(1001, #found.ids)
    assert.same({ ["a#S1001"] = true }, found.foreign)
  end)
end)

---shapes of a model; what is wrong with the first, with its place
local rows = {
  { [=["a#B": 1]=], "1:13: a#B: expected a shape, an object, found 1" },
  { [=["a#B": []]=], "1:13: a#B: expected a shape, an object, found a list" },
  { [=["a#B": {}]=], "1:13: a#B: the shape has no type" },
  { [=["a#B": {"type": null}]=], "1:21: a#B: type: expected a string, found null" },
  { [=["a#B": {"type": "strcture"}]=],
    '1:21: a#B: type: expected the type of a shape, found "strcture", did you mean "structure"?' },
  { [=["B": {"type": "string"}]=], '1:13: B: expected the id of a shape, such as example.things#Thing, found "B"' },
  { [=["a..b#B": {"type": "string"}]=], "expected the id of a shape" },
  { [=["a.#B": {"type": "string"}]=], "expected the id of a shape" },
  { [=["1a#B": {"type": "string"}]=], "expected the id of a shape" },
  { [=["a#B#C": {"type": "string"}]=], "expected the id of a shape" },
  { [=["a#": {"type": "string"}]=], "expected the id of a shape" },
  { [=["a#B$": {"type": "apply"}]=], "expected the id of a shape" },
  { [=["": {"type": "string"}]=], "expected the id of a shape" },
  { [=["a#B": {"type": "string", "traits": []}]=], "1:39: a#B: traits: expected an object, found a list" },
  { [=["a#B": {"type": "string", "x": null}]=], "1:39: a#B: x: expected a value, found null" },
  { [=["a#B": {"type": "list"}]=], '1:13: a#B: the list has no member "member"' },
  { [=["a#B": {"type": "set"}]=], '1:13: a#B: the set has no member "member"' },
  { [=["a#B": {"type": "map", "key": {"target": "smithy.api#String"}}]=], '1:13: a#B: the map has no member "value"' },
  { [=["a#B": {"type": "map", "value": {"target": "smithy.api#String"}}]=], '1:13: a#B: the map has no member "key"' },
  { [=["a#B": {"type": "list", "member": "a#C"}]=], '1:37: a#B: member: expected an object with a target, found "a#C"' },
  { [=["a#B": {"type": "list", "member": {}}]=], "1:37: a#B: member.target: expected the id of a shape, found nothing" },
  { [=["a#B": {"type": "structure", "members": {"c": {"target": 1}}}]=],
    "1:60: a#B: members.c.target: expected the id of a shape, found 1" },
  { [=["a#B": {"type": "structure", "members": {"c": {"target": "a#B", "traits": ""}}}]=],
    '1:77: a#B: members.c.traits: expected an object, found ""' },
  { [=["a#B": {"type": "operation", "errors": [{"target": "a#B"}, null]}]=],
    "1:72: a#B: errors.2: expected an object with a target, found null" },
  { [=["a#B": {"type": "operation", "errors": {}}]=], "1:42: a#B: errors: expected a list, found a table" },
  { [=["a#B": {"type": "enum"}]=], "1:13: a#B: the enum has no members" },
  { [=["a#B": {"type": "intEnum", "members": {}}]=], "1:13: a#B: the intEnum has no members" },
  { [=["a#B": {"type": "list", "mixins": []}]=], '1:13: a#B: the list has no member "member"' },
  { [=["a#B": {"type": "list", "mixins": [{"target": "a#M"}]}, "a#M": {"type": "list", "traits": {"smithy.api#mixin": {}},
    "mixins": [{"target": "a#M"}]}]=], '1:13: a#B: the list has no member "member"' },
  { [=["a#B": {"type": "intEnum", "members": {"C": {"target": "smithy.api#Unit"}}}]=],
    "1:52: a#B: C: expected a whole number of 32 bits as the value, found nothing" },
  { [=["a#B": {"type": "intEnum", "members": {"C": {"target": "smithy.api#Unit", "traits": {"smithy.api#enumValue": "1"}}}}]=],
    '1:52: a#B: C: expected a whole number of 32 bits as the value, found "1"' },
  { [=["a#B": {"type": "intEnum", "members": {"C": {"target": "smithy.api#Unit", "traits": {"smithy.api#enumValue": 1}},
    "D": {"target": "smithy.api#Unit", "traits": {"smithy.api#enumValue": 1}}}}]=],
    "2:5: a#B: D: the value 1 is that of C, too" },
  { [=["a#B": {"type": "map", "key": {"target": "smithy.api#Integer"}, "value": {"target": "smithy.api#String"}}]=],
    "1:36: a#B: the key of a map: expected a string or an enum, found smithy.api#Integer, of type integer" },
  { [=["a#B": {"type": "resource", "read": []}]=], "1:41: a#B: read: expected an object with a target, found a list" },
}

describe("a broken shape", function()
  for _, row in ipairs(rows) do
    it("is a problem: " .. row[1], function()
      local opened = model.of_texts { { file = "m.json", text = ('{"shapes": {%s}}'):format(row[1]) } }
      assert.matches(row[2], model.describe_all(opened.problems), 1, true)
    end)
  end

  for root, mistake in pairs {
    ['"smithy": "3.0"'] = '1:2: smithy: expected the version "1.0" or "2.0", found "3.0"',
    ['"smithy": 2'] = 'smithy: expected the version "1.0" or "2.0", found 2',
    ['"smithy": "2.0", "metadata": 5'] = "1:19: metadata: expected an object, found 5",
    ['"smithy": "1.0", "metadata": null'] = "metadata: expected an object, found null",
  } do
    it("is not the root of " .. root .. ", which is a problem", function()
      local opened = model.of_texts { { file = "m.json", text = ("{%s}"):format(root) } }
      assert.equal(1, #opened.problems)
      assert.matches(mistake, model.describe_all(opened.problems), 1, true)
    end)
  end

  it("is found in C exactly where Lua says what is wrong", function()
    math.randomseed(tonumber(os.getenv "BIDE_SEED") or os.time())
    local function one_of(list) return list[math.random(#list)] end
    local names = { "type", "traits", "members", "member", "key", "value", "mixins", "input", "errors", "read", "identifiers",
      "x" }
    local values = { "1", "null", "[]", "{}", '"list"', '"enum"', '"map"', '"set"', '"structure"', '{"target": "a#B"}',
      '[{"target": "a#B"}]', '{"b": {"target": "a#B"}}',
      '{"target": "a#B", "traits": {}}', '{"target": "a#B", "traits": 1}', "[1]", "[[]]" }
    for _ = 1, 2000 do
      local parts = { '"type": "structure"' }
      for position = 1, math.random(3) do parts[position] = ('"%s": %s'):format(one_of(names), one_of(values)) end
      local text = ('{"shapes": {"%s": {%s}}}'):format(one_of { "a#B", "a.b#C", "a#1", "a" }, table.concat(parts, ", "))
      local document = json.read(text)
      local id = document:names "shapes" [1]
      assert.equal(outline(text).broken[1] ~= nil, structure.mistake(id, document:value("shapes", id)) ~= nil, text)
    end
  end)
end)
