---Answers that are not what the model says. A broken one is InvalidResponse; a value of another type stays as it came, and
---the note of the attempt names its place.

local base64 = require "bide.base64"
local cbor = require "bide.model.protocol.cbor"
local core = require "bide.core"
local model = require "bide.model"
local protocols = require "spec.support.protocols"
local retries = require "bide.task.retries"

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
  local output, failure = operations[name]:answer { status = 200, headers = protocols.headers_of(IDS[name]), body = body }
  assert.is_nil(output)
  assert.same({ "InvalidResponse", 200 }, { failure.type, failure.status })
  return failure.message
end

local function output_of(name, body)
  return assert(operations[name]:answer { status = 200, headers = protocols.headers_of(IDS[name]), body = body })
end

---Returns the output of an answer as JSON, and the notes that were made.
local function odd_output_of(name, body)
  local notes, note = {}, retries.note
  retries.note = function(text) notes[#notes + 1] = text end
  finally(function() retries.note = note end)
  return json.encode(output_of(name, body)), table.concat(notes, "; ")
end

---Answers with a value of another type than the model says, and the note. The value is in the output as it came.
local odd = {
  { '{"text":5}', "the answer has no string at text" },
  { '{"size":"5"}', "the answer has no integer at size" },
  { '{"size":1.5}', "the answer has no integer at size" },
  { '{"size":1e300}', "the answer has no integer at size" },
  { '{"ratio":"soon"}', "the answer has no double at ratio" },
  { '{"isOpen":"true"}', "the answer has no boolean at isOpen" },
  { '{"at":"soon"}', "the answer has no timestamp at at" },
  { '{"at":true}', "the answer has no timestamp at at" },
  { '{"names":{"a":1}}', "the answer has no list at names" },
  { '{"names":["a",{}]}', "the answer has no string at names[1]" },
  { '{"tags":[1]}', "the answer has no map at tags" },
  { '{"tags":{"a b":{"nested":{"names":["x","y",3]}}}}', "the answer has no string at tags.a b.nested.names[2]" },
  { '{"nested":[1]}', "the answer has no structure at nested" },
  { '{"nested":"x"}', "the answer has no structure at nested" },
}

local wrong = {
  { "[1]", "the answer: expected a structure, found a list" },
  { "5", "the answer: expected a structure, found 5" },
}

describe("an answer in JSON", function()
  for _, name in ipairs { "aws_json", "rest_json", "rpc_json" } do
    it("has values of other types as they came, by " .. name, function()
      for _, case in ipairs(odd) do assert.same(case, { odd_output_of(name, case[1]) }) end
      assert.same({ '{"data":"a"}', "the answer has no blob at data" }, { odd_output_of(name, '{"data": "a"}') })
    end)

    it("is refused by " .. name .. " if it is no structure", function()
      for _, case in ipairs(wrong) do assert.equal(case[2], mistake_of(name, case[1])) end
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
  it("has values of other types as they came", function()
    for _, case in ipairs(odd) do
      assert.same(case, { odd_output_of("cbor", cbor.encode((json.decode(case[1])))) })
    end
    for text, value in pairs {
      ['{"data":"YQ=="}'] = { data = "YQ==" }, ['{"at":5}'] = { at = 5 }, ['{"text":"YQ=="}'] = { text = cbor.bytes "a" },
      ['{"nested":"YQ=="}'] = { nested = cbor.bytes "a" }, ['{"at":"NaN"}'] = { at = cbor.tagged(1, 0 / 0) },
      ['{"size":"Infinity"}'] = { size = math.huge }, ['{"size":{"a":[1.5,{}]}}'] = { size = { a =
        json.array { cbor.tagged(1, 1.5), {} } } },
    } do
      local output, note = odd_output_of("cbor", cbor.encode(value))
      assert.equal(text, output)
      assert.matches("^the answer has no %a+ at " .. next(value) .. "$", note)
    end
  end)

  it("is refused if it is no structure, or no CBOR", function()
    for _, case in ipairs(wrong) do
      assert.equal(case[2], mistake_of("cbor", cbor.encode((json.decode(case[1])))))
    end
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
  local bodies = { rest_xml = "<R>%s</R>", ec2 = "<GetThingResponse>%s</GetThingResponse>",
    query = "<GetThingResponse><GetThingResult>%s</GetThingResult></GetThingResponse>" }
  local odd_texts = {
    { "<size>x</size>", '{"size":"x"}', "no integer at size" }, { "<size>0x10</size>", '{"size":"0x10"}', "no integer" },
    { "<size> 1e3 </size>", '{"size":"1e3"}', "no integer" },
    { "<size>9223372036854775808</size>", '{"size":"9223372036854775808"}', "no integer at size" },
    { "<ratio>1.2.3</ratio>", '{"ratio":"1.2.3"}', "no double at ratio" },
    { "<ratio>nan</ratio>", '{"ratio":"nan"}', "no double" },
    { "<isOpen>perhaps</isOpen>", '{"isOpen":"perhaps"}', "no boolean at isOpen" },
    { "<at>soon</at>", '{"at":"soon"}', "no timestamp at at" }, { "<at>1e999</at>", '{"at":"1e999"}', "no timestamp" },
    { "<data>&amp;</data>", '{"data":"&"}', "no blob at data" },
    { "<tags><entry/><entry><key>k</key><value><nested><at>x</at></nested></value></entry></tags>",
      '{"tags":{"k":{"nested":{"at":"x"}}}}', "no timestamp at tags.value.nested.at" },
  }
  local cases = {
    { "<text>\xFF</text>", "not XML" }, { "<text>&unknown;</text>", "not XML" }, { "<text>", "not XML" },
    { ("<nested>"):rep(100000), "at most 512 levels" }, { ("<other>"):rep(100000), "at most 512 levels" },
  }
  for _, tag in ipairs { "<!--%s-->", "<?a %s?>", "<text a='%s'/>", "<%s/>" } do
    table.insert(cases, { tag:format(("b"):rep(256 * 1024)), "tags and comments of at most 128 KiB, found a larger one" })
  end
  for name, body in pairs(bodies) do
    local function whole(text)
      return (body:gsub("%%s", function() return text end))
    end

    it("has values of other types as they came, by " .. name, function()
      for _, case in ipairs(odd_texts) do
        local output, note = odd_output_of(name, whole(case[1]))
        assert.equal(case[2], output)
        assert.matches("the answer has " .. case[3], note, 1, true)
      end
      local output, note = odd_output_of(name, whole "<size/><at></at><isOpen> </isOpen><text/>")
      assert.same({ '{"text":""}', "" }, { output, note })
    end)

    it("is refused by " .. name .. " if it is broken", function()
      for _, case in ipairs(cases) do
        local message = mistake_of(name, whole(case[1]))
        assert.is_truthy(message:find(case[2], 1, true), message)
      end
      assert.matches("DOCTYPE", mistake_of(name, '<!DOCTYPE a [<!ENTITY b "' .. ("c"):rep(9) .. '">]><a>&b;</a>'))
      assert.matches("not XML", mistake_of(name, '{"text": "a"}'))
      assert.matches("not XML", mistake_of(name, "<a/><b/>"))
    end)
  end

  it("may have many comments, and a text or a tag that is long", function()
    local text, comments = ("b"):rep(512 * 1024), ("<!-- a -->"):rep(64 * 1024)
    local tag = "<other a='" .. ("b"):rep(64 * 1024) .. "'/>"
    local output = output_of("ec2", bodies.ec2:format(comments .. tag .. "<text>" .. text .. "</text>"))
    assert.equal(text, output.text)
  end)

  it("is refused if the element with its members comes twice", function()
    local message = mistake_of("query", "<GetThingResponse><GetThingResult><text>a</text></GetThingResult>"
      .. "<GetThingResult><text>b</text></GetThingResult></GetThingResponse>")
    assert.equal("the answer: expected one <GetThingResult>, found more", message)
  end)

  it("keeps numbers exact, and one text of many pieces", function()
    local output = output_of("rest_xml", "<R><size>9007199254740993</size><ratio>-Infinity</ratio><isOpen>1</isOpen>"
      .. "<text>a<b/>b<![CDATA[<]]>&#233;</text><data>" .. base64.encode "\0" .. "</data></R>")
    assert.equal('{"data":"AA==","isOpen":true,"ratio":"-Infinity","size":9007199254740993,"text":"ab<é"}',
      json.encode(output))
  end)

  it("is an output without members where it has none of them", function()
    for name, body in pairs(bodies) do
      for _, text in ipairs { "", "<b><c>1</c></b>", "text" } do
        assert.equal("{}", json.encode(output_of(name, (body:gsub("%%s", text)))))
      end
    end
    for _, body in ipairs { "<a/>", "<a><b><c>1</c></b></a>", "<a>text</a>", "", " \n" } do
      assert.equal("{}", json.encode(output_of("rest_xml", body)))
    end
  end)

  it("is the answer of another program without the root, or the wrapper, of the operation", function()
    for name in pairs { ec2 = 1, query = 1 } do
      for _, body in ipairs { "<a/>", "<a><GetThingResult/></a>", "<html>Sign in</html>", "", " \n",
        "<ErrorResponse><Error><Code>AccessDenied</Code></Error></ErrorResponse>", "<GetThingsResponse/>" } do
        assert.matches("expected <GetThingResponse>, found", mistake_of(name, body), 1, true)
      end
    end
    for _, body in ipairs { "<GetThingResponse/>", "<GetThingResponse><text>a</text></GetThingResponse>" } do
      assert.matches("expected <GetThingResult> in <GetThingResponse>, found none", mistake_of("query", body), 1, true)
    end
  end)
end)
