---The input of a model's operation, read by its shape at every depth.

local core = require "bide.core"
local input_values = require "bide.model.run.input_values"
local inputs = require "bide.model.run.inputs"
local models = require "spec.support.models"

local json = core.json

local opened = models.of_text [[
$version: "2.0"
namespace a.b
structure In { @length(max: 2) short: String, tag: Tag, tags: Tags, labels: Labels, @length(min: 2, max: 3) bytes: Blob
  thing: Thing, choice: Choice, things: Things, map: Map, when: Timestamp, data: Blob, any: Document
  size: Size = 3
  low: Size = 0
  kind: Kind = "a"
  other: Kind = "c"
  flag: Boolean = true
  ratio: Double = 0.5
  @required
  needed: Integer = 1
  @required
  @documentation("<p>A <b>name</b> &amp; more.</p>")
  name: String
}
structure Thing { @required id: Integer, name: String, when: Timestamp, size: Size, kind: Kind, level: Level, thing: Thing }
@length(min: 2, max: 4)
string Tag
@length(max: 1)
list Tags { member: Tag }
@length(min: 2)
map Labels { key: String, value: String }
union Choice { a: String, b: Integer }
list Things { member: Thing }
map Map { key: String, value: Integer }
@range(min: 1, max: 5)
integer Size
@enum([{ value: "a" }, { value: "b" }])
string Kind
intEnum Level {
  LOW = 1
  HIGH = 2
}
]]

---an input; what a call gets, or the mistake
local rows = {
  { '{"thing": {"id": 1, "when": "2015-08-30T12:36:00Z"}}', '{"thing":{"id":1,"when":1440938160}}' },
  { '{"when": "1440938160", "data": "AP8=", "any": [{"x": null}]}', '{"any":[{"x":null}],"data":"AP8=","when":1440938160}' },
  { '{"z": 1, "thing": {"thing": null, "id": 2}}', '{"z":1,"thing":{"thing":null,"id":2}}' },
  { '{"thing": null, "choice": {"a": "x", "b": null}}', '{"thing":null,"choice":{"a":"x","b":null}}' },
  { '{"thing": 5}', nil, "thing: expected an object, the Thing, found 5" },
  { '{"thing": []}', nil, "thing: expected an object, the Thing, found a list" },
  { '{"thing": {}}', nil, "thing.id: expected a value, found nothing" },
  { '{"thing": {"id": "1"}}', nil, 'thing.id: expected an integer, found "1"' },
  { '{"thing": {"id": 1, "nmae": "x"}}', nil, 'thing.nmae: unknown member, did you mean "name"?' },
  { '{"thing": {"id": 1, "size": 9}}', nil, "thing.size: expected 1 to 5, found 9" },
  { '{"thing": {"id": 1, "kind": "c"}}', nil, 'thing.kind: expected one of a, b, found "c"' },
  { '{"thing": {"id": 1, "level": 3}}', nil, "thing.level: expected one of 1, 2, found 3" },
  { '{"things": [{"id": 1}, {"id": 1.5}]}', nil, "things[2].id: expected an integer, found 1.5" },
  { '{"things": {"id": 1}}', nil, "things: expected a list, found a table" },
  { '{"map": {"a": 1, "b": "x"}}', nil, 'map.b: expected an integer, found "x"' },
  { '{"map": [1]}', nil, "map: expected an object, the Map, found a list" },
  { '{"choice": {"a": "x", "b": 1}}', nil, "choice: expected one member of a union, found 2" },
  { '{"choice": {}}', nil, "choice: expected one member of a union, found 0" },
  { '{"when": "soon"}', nil, 'when: expected a timestamp, found "soon"' },
  { '{"tag": "äöüß", "tags": ["ab"], "labels": {"a": "", "b": ""}, "short": "", "bytes": "AAAA"}',
    '{"tag":"äöüß","tags":["ab"],"labels":{"a":"","b":""},"short":"","bytes":"AAAA"}' },
  { '{"short": "abc"}', nil, "short: expected at most 2 characters, found 3" },
  { '{"tag": "a"}', nil, "tag: expected 2 to 4 characters, found 1" },
  { '{"tags": ["abcde"]}', nil, "tags[1]: expected 2 to 4 characters, found 5" },
  { '{"tags": ["ab", "cd"]}', nil, "tags: expected at most 1 elements, found 2" },
  { '{"labels": {}}', nil, "labels: expected at least 2 entries, found 0" },
  { '{"bytes": "AA=="}', nil, "bytes: expected 2 to 3 bytes, found 1" },
  { '{"bytes": "AAAAAA=="}', nil, "bytes: expected 2 to 3 bytes, found 4" },
  { '{"data": "text!"}', nil, 'data: expected a blob, found "text!"' },
}

describe("an input of a model", function()
  local read = input_values.reader(opened, opened:shape "a.b#In")

  for _, row in ipairs(rows) do
    it(("%s is %s"):format(row[1], row[2] or "refused"), function()
      local document, mistake = read(json.read(row[1]))
      assert.equal(row[3], mistake)
      assert.equal(row[2], document and json.encode(document))
    end)
  end

  it("stays the same document if nothing in it changes", function()
    local document = json.read '{"thing": {"id": 1}, "when": 5}'
    assert.equal(document, (read(document)))
  end)

  it("may be nested as deep as a document", function()
    local text = ('{"id": 1, "thing": '):rep(990) .. "null" .. ("}"):rep(990)
    assert.matches("expected at most 500 levels, found more", select(2, read(json.read('{"thing": ' .. text .. "}"))), 1, true)
  end)

  it("is declared with its defaults, those of them that it may have", function()
    local declared = inputs.of(opened, opened:shape "a.b#In")
    assert.equal(3, declared.size.default)
    assert.equal("a", declared.kind.default)
    assert.is_true(declared.flag.default)
    assert.equal(0.5, declared.ratio.default)
    assert.equal(1, declared.needed.default)
    assert.is_nil(declared.needed.required)
    assert.is_nil(declared.low.default)
    assert.is_nil(declared.other.default)
    assert.is_true(declared.name.required)
    assert.equal("A name & more.", declared.name.documentation)
  end)
end)
