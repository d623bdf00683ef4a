---`bide convert` wrote numbers with other digits, an annotation as an object where its trait is a list, and models of version
---1.0 as such of version 2.0, which Smithy refuses or reads as something else.

local convert = require "bide.model.convert.conversion"
local core = require "bide.core"
local model = require "bide.model"
local models = require "spec.support.models"

local NEW, OLD = '$version: "2.0"\nnamespace a.b\n', '$version: "1.0"\nnamespace a.b\n'
local endings = { ast = "x.json", idl = "x.smithy" }

local function write(text, target, options, file)
  local read = assert(convert.read({ { file = file or "x.smithy", text = text } }, error))
  return convert.write(read, target, options or {})
end

---The shapes of a model once it is written and read back.
local function again(text, target)
  local written = assert(write(text, target))
  local opened = models.of_text(written, endings[target])
  assert.equal("", models.problems(opened))
  assert.equal(written, (write(written, target, nil, endings[target])))
  return opened, written
end

describe("bide convert", function()
  local kept = { "0", "-0", "1", "-1.5", "1e3", "1.10", "9223372036854775807", "-9223372036854775808", "0.1", "1e-7", "1e300",
    "1e20", "100e-2" }
  local beyond = { "1e400", "-1e400", "1e-400", "123456789012345678901234567890", "9223372036854775808",
    "123456789012345680000", "0.12345678901234567890123",
    "3.14159265358979323846" }

  for target in pairs(endings) do
    it("keeps the digits of numbers as " .. target, function()
      for _, number in ipairs(kept) do
        local opened = again(NEW .. ("@trait\ndocument d\n@d(%s)\nstring S\n"):format(number), target)
        assert.equal(tonumber(number), opened:shape("a.b#S").traits["a.b#d"])
      end
    end)

    it("keeps the digits of numbers that are neither of 64 bits nor doubles, as " .. target, function()
      for _, number in ipairs(beyond) do
        local value = ('{a: [%s, "%s"], b: "number:1e400"}'):format(number, number)
        local text = NEW .. '@trait\ndocument d\n// 1e400 "1e400"\n@d(' .. value .. ")\nstring S\n"
        local _, written = again(text, target)
        local found = {}
        for quote, digits in written:gmatch '("?)(%-?%d[%d.eE+-]+)%f[%s,"%]]' do found[#found + 1] = quote .. digits end
        assert.same({ '"2.0', number, '"' .. number }, table.move(found, 1, 3, 1, {}))
        assert.matches('"number:1e400"', written, 1, true)
        local ast = ('{"smithy": "2.0", "metadata": {"a": "\\"1e400", "b": %s},\n "shapes": {"a.b#S": {"type": "string"}}}')
          :format(number)
        assert.truthy(assert(write(ast, target, nil, "x.json")):find(number, 1, true))
      end
    end)

    it("writes an annotation by the type of its trait, as " .. target, function()
      local text = NEW .. "@trait\nlist l { member: String }\n@trait\nstructure s {}\n"
        .. "@trait\nmap m { key: String, value: String }\n"
        .. "@tags\n@suppress\n@l\n@s\n@m\n@internal\nstring S\n"
      local opened = again(text, target)
      local traits = opened:shape("a.b#S").traits
      for _, id in ipairs { "smithy.api#tags", "smithy.api#suppress", "a.b#l" } do
        assert.equal("[]", core.json.encode(traits[id]), id)
      end
      for _, id in ipairs { "a.b#s", "a.b#m", "smithy.api#internal" } do
        assert.equal("{}", core.json.encode(traits[id]), id)
      end
    end)

    it("writes version 1.0 as what it means in version 2.0, as " .. target, function()
      local text = OLD .. [[
set Names { member: String }
integer Count
@box
integer Boxed
boolean Flag
double Rate
bigInteger Big
@streaming
blob Body
structure S {
  count: Count, boxed: Boxed, flag: Flag, primitive: PrimitiveInteger, plain: Integer, big: Big, rate: Rate, text: String,
  @box
  mine: Count,
  @required
  needed: Count,
  body: Body,
}
union U { count: Count }
list Counts {
  @box
  member: Count
}
]]
      local opened, written = again(text, target)
      assert.is_nil(written:find("#box", 1, true) or written:find("@box", 1, true) or written:find("%f[%w]set%f[%W]"))
      local names = opened:shape "a.b#Names"
      assert.equal("list", names.type)
      assert.same({ ["smithy.api#uniqueItems"] = {} }, names.traits)
      local defaults = {}
      for _, id in ipairs { "Count", "Boxed", "Flag", "Rate", "Big" } do
        defaults[id] = opened:shape("a.b#" .. id).traits["smithy.api#default"]
      end
      assert.same({ Count = 0, Flag = false, Rate = 0 }, defaults)
      local members = {}
      for _, member in ipairs(opened:shape("a.b#S").members) do members[member.name] = member.traits["smithy.api#default"] end
      assert.same({ count = 0, flag = false, primitive = 0, rate = 0, mine = core.json.null, needed = 0, body = "" }, members)
      assert.same({}, opened:shape("a.b#U").members[1].traits)
      assert.same({}, opened:shape("a.b#Counts").members[1].traits)
    end)

    it("leaves version 2.0 as it is, as " .. target, function()
      local opened = again(NEW .. "integer Count\nstructure S { count: Count, primitive: PrimitiveInteger }\n", target)
      assert.same({}, opened:shape("a.b#Count").traits)
      for _, member in ipairs(opened:shape("a.b#S").members) do assert.same({}, member.traits) end
    end)
  end

  it("knows the traits that an AST defines beside the file", function()
    local opened = model.of_texts { { file = "x.smithy", text = NEW .. "@l\nstring S\n" }, { file = "t.json", text = [[
      {"smithy": "2.0", "shapes": {"a.b#l": {"type": "list", "member": {"target": "smithy.api#String"},
        "traits": {"smithy.api#trait": {}}}}}]] } }
    assert.equal("[]", core.json.encode(opened:shape("a.b#S").traits["a.b#l"]))
  end)

  it("joins lists of the metadata of several files", function()
    local texts = {}
    for position = 1, 2 do
      texts[position] = { file = position .. ".smithy",
        text = ('$version: "2.0"\nmetadata a = [%d]\nnamespace a.b\nstring S%d\n'):format(position, position) }
    end
    assert.equal("", models.problems(model.of_texts(texts)))
    local written = assert(convert.write(assert(convert.read(texts, error)), "ast", {}))
    assert.same({ 1, 2 }, core.json.decode(written).metadata.a)
  end)
end)
