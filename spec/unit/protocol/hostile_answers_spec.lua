---Answers that are not what the model says: each is InvalidResponse, with the place, what was expected and what was found.

local base64 = require "bide.base64"
local cbor = require "bide.protocol.cbor"
local core = require "bide.core"
local model = require "bide.model"

local json = core.json

local IDS = { cbor = "smithy.protocols#rpcv2Cbor", rpc_json = "smithy.protocols#rpcv2Json",
  aws_json = "aws.protocols#awsJson1_1", rest_json = "aws.protocols#restJson1", rest_xml = "aws.protocols#restXml",
  query = "aws.protocols#awsQuery", ec2 = "aws.protocols#ec2Query" }

local opened = model.of_texts { { file = "a.smithy", text = [[
$version: "2.0"
namespace a.b
use aws.protocols#restJson1
@restJson1
service Things { version: "1" operations: [GetThing] }
@http(method: "GET", uri: "/")
operation GetThing { input := {}, output := with [Parts] {} }
@mixin
structure Parts {
    text: String
    size: Integer
    ratio: Double
    isOpen: Boolean
    at: Timestamp
    data: Blob
    names: Names
    tags: Tags
    nested: Nested
}
structure Nested with [Parts] {}
list Names { member: String }
map Tags { key: String, value: Nested }
]] } }

local operations = {}
for name, id in pairs(IDS) do operations[name] = assert(opened:operation("GetThing", { protocol = id })) end

local function mistake_of(name, body)
  local output, failure = operations[name]:answer { status = 200, headers = {}, body = body }
  assert.is_nil(output)
  assert.same({ "InvalidResponse", 200 }, { failure.type, failure.status })
  return failure.message
end

local function output_of(name, body)
  return assert(operations[name]:answer { status = 200, headers = {}, body = body })
end

local wrong = {
  { '{"text": 5}', "text: expected a string, found 5" },
  { '{"size": "5"}', 'size: expected an integer, found "5"' },
  { '{"size": 1.5}', "size: expected an integer, found 1.5" },
  { '{"size": 1e300}', "size: expected an integer, found 1e+300" },
  { '{"size": 9223372036854775808}', "size: expected an integer, found 9.2233720368548e+18" },
  { '{"ratio": "soon"}', 'ratio: expected a double, found "soon"' },
  { '{"isOpen": "true"}', 'isOpen: expected a boolean, found "true"' },
  { '{"at": "soon"}', 'at: expected a timestamp, found "soon"' },
  { '{"at": true}', "at: expected a timestamp, found true" },
  { '{"names": {"a": 1}}', "names: expected a list, found a table" },
  { '{"names": ["a", {}]}', "names[1]: expected a string, found a table" },
  { '{"tags": [1]}', "tags: expected a map, found a list" },
  { '{"tags": {"a b": {"nested": {"names": ["x", "y", 3]}}}}', "tags.a b.nested.names[2]: expected a string, found 3" },
  { '{"nested": [1]}', "nested: expected a structure, found a list" },
  { '{"nested": "x"}', 'nested: expected a structure, found "x"' },
  { "[1]", "the answer: expected a structure, found a list" },
  { "5", "the answer: expected a structure, found 5" },
}

describe("an answer in JSON", function()
  for _, name in ipairs { "aws_json", "rest_json", "rpc_json" } do
    it("of other types is refused by " .. name, function()
      for _, case in ipairs(wrong) do assert.equal(case[2], mistake_of(name, case[1])) end
      assert.equal('data: expected a blob, found "a"', mistake_of(name, '{"data": "a"}'))
      assert.matches("^the answer is not JSON: ", mistake_of(name, '{"text": "a'))
      assert.matches("^the answer is not JSON: ", mistake_of(name, "<html>"))
    end)
  end

  it("that is nested deeply is refused", function()
    local count = 100000
    assert.matches("^the answer is not JSON: ", mistake_of("aws_json", ('{"nested":'):rep(count) .. ("}"):rep(count)))
    assert.matches("levels, found more$", mistake_of("aws_json", ('{"nested":'):rep(600) .. "1" .. ("}"):rep(600)))
  end)

  it("keeps numbers exact", function()
    local output = output_of("aws_json", '{"size": 9007199254740993, "ratio": "NaN", "at": 1.001}')
    assert.equal('{"at":1.001,"ratio":"NaN","size":9007199254740993}', json.encode(output))
    assert.equal('{"ratio":"-Infinity","size":5}', json.encode(output_of("aws_json", '{"size": 5.0, "ratio": "-Infinity"}')))
  end)
end)

describe("an answer in CBOR", function()
  it("of other types is refused", function()
    for _, case in ipairs(wrong) do
      assert.equal(case[2], mistake_of("cbor", cbor.encode((json.decode(case[1])))))
    end
    assert.equal('data: expected a blob, found "YQ=="', mistake_of("cbor", cbor.encode { data = "YQ==" }))
    assert.equal("at: expected a timestamp, found 5", mistake_of("cbor", cbor.encode { at = 5 }))
    assert.equal("text: expected a string, found a table", mistake_of("cbor", cbor.encode { text = cbor.bytes "a" }))
    assert.equal("nested: expected a structure, found a table", mistake_of("cbor", cbor.encode { nested = cbor.bytes "a" }))
    assert.equal("at: expected a timestamp, found a table", mistake_of("cbor", cbor.encode { at = cbor.tagged(1, 0 / 0) }))
    assert.equal("size: expected an integer, found inf", mistake_of("cbor", cbor.encode { size = math.huge }))
    assert.matches("^the answer is not CBOR: byte 8: ", mistake_of("cbor", "\xA1\x64text\x7F"))
    assert.matches("^the answer is not CBOR: ", mistake_of("cbor", '{"text": "a"}'))
  end)

  it("has floats that are no numbers as texts", function()
    local output = output_of("cbor", cbor.encode { ratio = 0 / 0, size = 9007199254740993, data = cbor.bytes "\0",
      at = cbor.tagged(1, 1.5) })
    assert.equal('{"at":1.5,"data":"AA==","ratio":"NaN","size":9007199254740993}', json.encode(output))
  end)
end)

describe("an answer in XML", function()
  local bodies = { rest_xml = "<R>%s</R>", ec2 = "<R>%s</R>", query = "<R><GetThingResult>%s</GetThingResult></R>" }
  local cases = {
    { "<size>x</size>", 'size: expected an integer, found "x"' }, { "<size>0x10</size>", 'an integer, found "0x10"' },
    { "<size>1e3</size>", 'an integer, found "1e3"' },
    { "<size>9223372036854775808</size>", 'an integer, found "9223372036854775808"' },
    { "<size/>", 'an integer, found ""' },
    { "<ratio>1.2.3</ratio>", 'ratio: expected a double, found "1.2.3"' }, { "<ratio>nan</ratio>", 'a double, found "nan"' },
    { "<isOpen>perhaps</isOpen>", 'isOpen: expected a boolean, found "perhaps"' },
    { "<at>soon</at>", 'at: expected a timestamp, found "soon"' }, { "<at>1e999</at>", 'a timestamp, found "1e999"' },
    { "<data>&amp;</data>", 'data: expected a blob, found "&"' },
    { "<tags><entry><key>k</key><value><nested><size>x</size></nested></value></entry></tags>", "size: expected an integer" },
    { "<text>\xFF</text>", "not XML" }, { "<text>&unknown;</text>", "not XML" }, { "<text>", "not XML" },
    { ("<nested>"):rep(100000), "at most 512 levels" }, { ("<other>"):rep(100000), "at most 512 levels" },
  }
  for name, body in pairs(bodies) do
    it("of other types is refused by " .. name, function()
      for _, case in ipairs(cases) do
        local message = mistake_of(name, (body:gsub("%%s", function() return case[1] end)))
        assert.is_truthy(message:find(case[2], 1, true), message)
      end
      assert.matches("DOCTYPE", mistake_of(name, '<!DOCTYPE a [<!ENTITY b "' .. ("c"):rep(9) .. '">]><a>&b;</a>'))
      assert.matches("not XML", mistake_of(name, '{"text": "a"}'))
      assert.matches("not XML", mistake_of(name, "<a/><b/>"))
    end)
  end

  it("says where in lists of structures", function()
    local message = mistake_of("rest_xml", "<R><nested><tags><entry/><entry><key>a</key><value><nested><at>x</at></nested>"
      .. "</value></entry></tags></nested></R>")
    assert.equal('nested.tags.value.nested.at: expected a timestamp, found "x"', message)
  end)

  it("keeps numbers exact, and one text of many pieces", function()
    local output = output_of("rest_xml", "<R><size>9007199254740993</size><ratio>-Infinity</ratio><isOpen>1</isOpen>"
      .. "<text>a<b/>b<![CDATA[<]]>&#233;</text><data>" .. base64.encode "\0" .. "</data></R>")
    assert.equal('{"data":"AA==","isOpen":true,"ratio":"-Infinity","size":9007199254740993,"text":"ab<é"}',
      json.encode(output))
  end)

  it("is an output without members where it has none of them", function()
    for name in pairs(bodies) do
      for _, body in ipairs { "<a/>", "<a><b><c>1</c></b></a>", "<a>text</a>", "", " \n" } do
        assert.equal("{}", json.encode(output_of(name, body)))
      end
    end
  end)
end)
