---What a call of one's own returns, as the paths of a model's waiters see it.

local core = require "bide.core"
local models = require "spec.support.models"
local output = require "bide.model.run.output"

local json = core.json

local MODEL = [[
$version: "2.0"
namespace a.b
structure Thing { when: Timestamp, data: Blob, large: BigInteger, exact: BigDecimal, any: Document, name: String, size: Integer,
  next: Thing, choice: Choice, list: Times, map: Map }
union Choice { at: Timestamp, text: String }
list Times { member: Timestamp }
map Map { key: String, value: Thing }
structure Plain { name: String, next: Plain }
]]

---what is returned; what paths see
local rows = {
  { '{"when": "2015-08-30T12:36:00Z"}', '{"when":1440938160}' },
  { '{"when": "2015-08-30T12:36:00.25+02:00"}', '{"when":1440930960.25}' },
  { '{"when": "Sun, 30 Aug 2015 12:36:00 GMT"}', '{"when":1440938160}' },
  { '{"when": "1440938160"}', '{"when":1440938160}' },
  { '{"when": 1440938160.5}', '{"when":1440938160.5}' },
  { '{"data": "AP8="}', '{"data":"AP8="}' },
  { '{"data": "a text"}', '{"data":"YSB0ZXh0"}' },
  { '{"data": ""}', '{"data":""}' },
  { '{"large": "18446744073709551617", "exact": "0.5"}', '{"exact":0.5,"large":1.8446744073709552e19}' },
  { '{"large": "17"}', '{"large":17}' },
  { '{"any": {"data": [1], "when": "2015-08-30T12:36:00Z"}}', '{"any":{"data":[1],"when":"2015-08-30T12:36:00Z"}}' },
  { '{"name": 5, "size": "5", "unknown": {"when": "2015-08-30T12:36:00Z"}}',
    '{"name":5,"size":"5","unknown":{"when":"2015-08-30T12:36:00Z"}}' },
  { '{"next": {"next": {"when": "1970-01-01T00:00:01Z"}}}', '{"next":{"next":{"when":1}}}' },
  { '{"choice": {"at": "1970-01-01T00:00:01Z"}}', '{"choice":{"at":1}}' },
  { '{"list": ["1970-01-01T00:00:01Z", null, 2]}', '{"list":[1,null,2]}' },
  { '{"list": []}', '{"list":[]}' },
  { '{"map": {"a": {"data": "a text"}, "b": {}}}', '{"map":{"a":{"data":"YSB0ZXh0"},"b":{}}}' },
  { '{"data": null, "when": null}', '{"data":null,"when":null}' },
  { '{"data": 5, "large": true, "list": "x", "map": [1], "next": 7, "when": "soon"}',
    '{"data":5,"large":true,"list":"x","map":[1],"next":7,"when":"soon"}' },
  { "[]", "[]" }, { '"text"', '"text"' }, { "null", "null" },
}

describe("the output of a call", function()
  local opened = models.of_text(MODEL)
  local convert = output.converter(opened, "a.b#Thing")

  for _, row in ipairs(rows) do
    it("is seen as " .. row[2] .. " if it is " .. row[1], function()
      assert.equal(row[2], json.encode(convert(json.decode(row[1]))))
      assert.equal(row[2], json.encode(convert(json.read(row[1]))))
    end)
  end

  it("stays the script's own table, which is not changed", function()
    local own = { when = "1970-01-01T00:00:01Z", list = json.array { "1970-01-01T00:00:01Z" }, next = { size = 1 } }
    local seen = convert(own)
    assert.same({ when = 1, list = { 1 }, next = { size = 1 } }, seen)
    assert.equal(own.next, seen.next)
    assert.equal("1970-01-01T00:00:01Z", own.when)
    assert.equal("1970-01-01T00:00:01Z", own.list[1])
  end)

  it("is the same object if nothing in it changes", function()
    local own, document = { when = 1, data = "AP8=" }, json.read '{"when": 1, "z": 1, "a": 2}'
    assert.equal(own, convert(own))
    assert.equal(document, convert(document))
    local plain = { name = 5, next = { name = "x" } }
    assert.equal(plain, output.converter(opened, "a.b#Plain")(plain))
  end)

  it("may be bytes that are no text, and a table that contains itself", function()
    assert.equal("AP8=", convert({ data = "\0\xff" }).data)
    local own = { when = "1970-01-01T00:00:01Z" }
    own.next = own
    assert.equal(1, convert(own).when)
    assert.is_nil((json.encode(convert(own))))
  end)

  it("calls no metamethod, and takes any keys", function()
    local function fail() error "a metamethod was called" end
    local own = setmetatable({ [true] = 1, [{}] = 2, when = "1970-01-01T00:00:01Z" }, { __index = fail, __pairs = fail,
      __len = fail, __newindex = fail, __eq = fail })
    assert.equal(1, convert(own).when)
  end)
end)
