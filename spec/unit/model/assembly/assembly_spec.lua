---Models of several files: merging, mixins, applied traits, and what a model must not leave open.

local core = require "bide.core"
local data = require "spec.support.data"
local model = require "bide.model"
local models = require "spec.support.models"

local HEAD = '$version: "2.0"\nnamespace a.b\n'

---@param ... string texts of files, IDL or JSON
local function open(...)
  local texts = {}
  for position, text in ipairs { ... } do
    texts[position] = { file = ("%d.%s"):format(position, text:find "^{" and "json" or "smithy"), text = text }
  end
  return model.of_texts(texts)
end

describe("a model", function()
  it("is one of several files, whose names and applied traits cross them", function()
    local opened = open(HEAD .. "structure A { b: B }", HEAD .. "string B\napply A @title(\"x\")",
      '{"smithy": "2.0", "shapes": {"a.b#B": {"type": "string"}, "a.b#A$b": {"type": "apply", "traits": {"a#t": 1}}}}')
    assert.equal("", models.problems(opened))
    assert.same({ ["smithy.api#title"] = "x" }, opened:shape("a.b#A").traits)
    assert.same({ ["a#t"] = 1 }, opened:shape("a.b#A").members[1].traits)
  end)

  it("refuses two definitions of one shape, with both places", function()
    local opened = open(HEAD .. "string A", "\n" .. HEAD .. "integer A")
    assert.equal("2.smithy:4:9: a.b#A: the shape is defined differently in 1.smithy:3", models.problems(opened))
  end)

  it("refuses what refers to nothing, with the nearest name", function()
    local opened = open(HEAD .. "structure A { b: Thng }\nstring Thing")
    assert.equal("1.smithy:3:15: a.b#A: there is no shape a.b#Thng, did you mean a.b#Thing?", models.problems(opened))
  end)

  it("places what is wrong in an AST", function()
    local opened = open '{"smithy": "2.0",\n "shapes": {"a#B": {"type": "list",\n  "member": {"target": "a#C"}}, "a#D": {}}}'
    assert.equal("1.json:3:33: a#D: the shape has no type\n"
      .. "1.json:3:3: a#B: there is no shape a#C, did you mean a#B?", models.problems(opened))
  end)

  it("says where an AST is broken", function()
    assert.equal("1.json:1:12: found '}' where a value should be", models.problems(open '{"smithy": }'))
  end)

  it("takes a mixin that takes itself, and mixins without an end, as mistakes or not at all", function()
    local opened = open(HEAD .. "@mixin\nstructure A with [A] { a: String }\n@mixin\nstructure B with [C] {}\n@mixin\n"
      .. "structure C with [B] {}")
    assert.truthy(opened:shape "a.b#A")
    assert.truthy(opened:shape "a.b#B")
  end)

  it("finds operations by id and by name, and says the nearest", function()
    local opened = open(HEAD .. "operation GetThing { output := { name: String } }")
    assert.equal("name", opened:operation("GetThing").output.members[1].name)
    assert.equal("smithy.api#Unit", opened:operation("a.b#GetThing").input.id)
    local found, mistake = opened:operation "GetThng"
    assert.is_nil(found)
    assert.equal("there is no operation GetThng, did you mean GetThing?", mistake)
  end)

  for _, name in ipairs(data.files("smithy/models", "%.json$")) do
    it("is " .. name .. ", whole", function()
      local opened = models.of_data { name }
      assert.equal("", models.problems(opened))
      for _, id in ipairs(opened.ids) do assert.truthy(opened:shape(id).type) end
    end)
  end

  it("opens files, and gives all problems of one that it cannot", function()
    assert.is_nil((model.open "no/such/file.smithy"))
    local name = "smithy/idl/invalid/mixins/mix-types.smithy"
    local path = data.path(name)
    if not path then return pending(name .. " " .. data.unpacked_hint) end
    local opened, problem = model.open(path)
    assert.is_nil(opened)
    assert.matches("mix%-types%.smithy:10:11: com%.foo#Foo: a structure takes mixins of its own type", tostring(problem))
    assert.equal(1, #problem.problems)
  end)

  it("is not hurt by what an AST may hold in place of shapes", function()
    for _, text in ipairs { "1", "[]", '{"a#b": 1}', '{"a#b": {"type": 1}}', '{"a#b": {"type": "structure", "members": 1}}',
      '{"a#b": {"type": "structure", "members": {"c": 1}}}', '{"a#b": {"type": "list", "member": []}}',
      '{"a#b": {"type": "structure", "traits": 1}}', '{"a#b": {"type": "structure", "mixins": [1]}}' } do
      local opened = open(('{"smithy": "2.0", "shapes": %s}'):format(text))
      assert.is_true(#opened.problems > 0, text)
    end
  end)
end)

describe("the AST of a file of the IDL", function()
  it("is JSON", function()
    local idl, names = require "bide.model.syntax.idl", require "bide.model.assembly.names"
    local file = idl.read(HEAD .. '@a({b: [1, "\\"", c#D, true]})\nstring A')
    assert.truthy(core.json.read((names.write(file, {}))))
  end)
end)
