---The requests and answers of operations, without any data from outside.

local core = require "bide.core"
local model = require "bide.model"
local retries = require "bide.task.retries"

local json = core.json

local HEAD = [[
$version: "2.0"
namespace a.b
use aws.protocols#awsJson1_1
use aws.protocols#awsQueryCompatible
use aws.protocols#awsQueryError
use aws.protocols#restJson1
use smithy.protocols#rpcv2Cbor
]]

local BODY = [[
@http(method: "GET", uri: "/things/{name}/{rest+}?list", code: 200)
@endpoint(hostPrefix: "{zone}.")
operation GetThing {
    input := {
        @required @httpLabel name: String
        @required @httpLabel rest: String
        @required @hostLabel @httpQuery("zone") zone: String
        @httpQuery("since") since: Timestamp
        @httpHeader("X-Tags") tags: Tags
    }
    output := {
        @httpHeader("X-Size") size: Integer
        @jsonName("State") status: String
        at: Timestamp
        data: Blob
        nested: Nested
    }
    errors: [NotFound, Renamed]
}
list Tags { member: String }
structure Nested {}
@error("client") @httpError(404)
structure NotFound { message: String }
@error("client") @awsQueryError(code: "Old.Name", httpResponseCode: 400)
structure Renamed {}
]]

local function open(traits)
  local opened = model.of_texts { { file = "a.smithy",
    text = HEAD .. traits .. " service Things { version: \"1\" operations: [GetThing] }\n" .. BODY } }
  assert.equal("", model.describe_all(opened.problems))
  return opened
end

local function operation_of(traits)
  return assert(open(traits):operation "GetThing")
end

local input = { name = "a b/c", rest = "d/e f", zone = "eu", since = 1398796238.5, tags = { "x", 'y,"z"' } }

local function answer(operation, status, headers, body)
  return operation:answer { status = status, headers = headers, body = body }
end

describe("an operation of restJson1", function()
  local operation = operation_of "@restJson1"

  it("writes labels, query, headers and the prefix of the host", function()
    assert.same({
      method = "GET", path = "/things/a%20b%2Fc/d/e%20f", body = "", host_prefix = "eu.",
      query = { { "list", "" }, { "zone", "eu" }, { "since", "2014-04-29T18:30:38.5Z" } },
      headers = { ["X-Tags"] = 'x, "y,\\"z\\""' },
    }, operation:request(input))
  end)

  it("refuses an input that makes no path, no host and no timestamp", function()
    local function mistake_of(changed)
      return select(2, operation:request(setmetatable(changed, { __index = input })))
    end
    assert.equal("name: expected a value, since it is a part of the path", mistake_of { name = "" })
    assert.equal('zone: expected a part of a host\'s name, found "a/b"', mistake_of { zone = "a/b" })
    assert.equal("since: expected a timestamp, found \"soon\"", mistake_of { since = "soon" })
  end)

  it("reads an answer to the names of its members", function()
    local output = answer(operation, 200, { ["x-size"] = "3" },
      '{"State": "on", "at": 1.5, "data": "YQ==", "nested": {"new": 1}, "more": 2}')
    assert.equal('{"at":1.5,"data":"YQ==","nested":{},"size":3,"status":"on"}', json.encode(output))
    assert.equal("{}", json.encode((answer(operation, 200, {}, ""))))
  end)

  it("gives the operation error InvalidResponse for an answer that is broken", function()
    for _, body in ipairs { '{"at": ', "[1]", '"on"' } do
      local output, failure = answer(operation, 200, {}, body)
      assert.is_nil(output)
      assert.equal("InvalidResponse", failure.type)
    end
  end)

  it("names an error by its shape, with the service's word as the code", function()
    local cases = {
      { { ["X-Amzn-Errortype"] = "a.b#NotFound:http://x/" }, '{"message": "no"}', "NotFound", "NotFound", "no" },
      { {}, '{"__type": "a.b#NotFound", "message": "no"}', "NotFound", "NotFound", "no" },
      { {}, '{"code": "Old.Name", "Message": "old"}', "Renamed", "Old.Name", "old" },
      { {}, '{"code": "Other", "Message": "m"}', "Other", "Other", "m" },
      { {}, "", "Http404", "Http404", "Not Found" },
      { {}, "<html>", "Http404", "Http404", "Not Found" },
    }
    for _, case in ipairs(cases) do
      local output, failure = answer(operation, 404, case[1], case[2])
      assert.is_nil(output)
      assert.same({ case[3], case[4], case[5], 404 }, { failure.type, failure.code, failure.message, failure.status })
    end
  end)
end)

describe("an operation of awsJson1_1", function()
  local operation = operation_of "@awsJson1_1 @awsQueryCompatible"

  it("is a POST of the whole input", function()
    local request = assert(operation:request(input))
    assert.same({ "POST", "/" }, { request.method, request.path })
    assert.same({ ["Content-Type"] = "application/x-amz-json-1.1", ["X-Amz-Target"] = "Things.GetThing",
      ["x-amzn-query-mode"] = "true" }, request.headers)
    assert.same(input, json.decode(request.body))
  end)

  it("has its error's code from the header of the query protocol", function()
    local _, failure = answer(operation, 400, { ["x-amzn-query-error"] = "Old.Name;Sender" },
      '{"__type": "a.b#Renamed"}')
    assert.same({ "Renamed", "Old.Name" }, { failure.type, failure.code })
  end)
end)

describe("a protocol", function()
  it("can be chosen by its id", function()
    local operation = assert(open("@awsJson1_1 @restJson1"):operation("GetThing", { protocol = "aws.protocols#restJson1" }))
    assert.equal("GET", operation:request(input).method)
    local none, mistake = open("@restJson1"):operation("GetThing", { protocol = "a#b" })
    assert.is_nil(none)
    assert.matches("^protocol: expected aws.protocols#awsJson1_0, .*, found a#b$", mistake)
  end)

  it("that bide does not know is a mistake", function()
    local operation = operation_of ""
    local request, mistake = operation:request(input)
    assert.is_nil(request)
    assert.equal("the service Things has no protocol that bide knows", mistake)
    assert.has_error(function() answer(operation, 200, {}, "") end, mistake)
  end)

  it("is JSON for a service that has CBOR too", function()
    assert.equal("application/x-amz-json-1.1", operation_of("@rpcv2Cbor @awsJson1_1"):request(input).headers["Content-Type"])
    assert.equal("application/cbor", operation_of("@rpcv2Cbor"):request(input).headers["Content-Type"])
  end)
end)

describe("headers", function()
  local opened = model.of_texts { { file = "a.smithy", text = [[
$version: "2.0"
namespace a.b
@aws.protocols#restJson1
service Things { version: "1" operations: [GetThing] }
@http(method: "GET", uri: "/")
operation GetThing { input := with [Headers] {}, output := with [Headers] {} }
@mixin
structure Headers {
    @httpHeader("X-Size") size: Integer
    @httpHeader("X-Sizes") sizes: Sizes
    @httpHeader("X-Open") isOpen: Boolean
    @httpHeader("X-Text") text: String
    @httpHeader("X-At") at: Timestamp
    @httpHeader("Expires") expires: Timestamp
    @httpPrefixHeaders("x-") others: Others
}
list Sizes { member: Integer }
map Others { key: String, value: String }
]] } }
  local operation = assert(opened:operation "GetThing")

  it("of other types stay as they came, and notes name their places", function()
    local notes, note = {}, retries.note
    retries.note = function(text) notes[#notes + 1] = text end
    finally(function() retries.note = note end)
    local output = assert(answer(operation, 200,
      { ["X-Size"] = "x", ["x-sizes"] = "1, y, 3", ["X-Open"] = "perhaps", ["X-At"] = "soon" }, ""))
    assert.same({ "x", { 1, "y", 3 }, "perhaps", "soon" }, { output.size, output.sizes, output.isOpen, output.at })
    table.sort(notes)
    assert.same({ "the answer has no boolean at isOpen", "the answer has no integer at size",
      "the answer has no integer at sizes[1]", "the answer has no timestamp at at" }, notes)
  end)

  it("without a value have none, and an Expires may be anything", function()
    local output = assert(answer(operation, 200, { ["X-Size"] = "", ["X-Text"] = "", Expires = "-" }, ""))
    assert.same({ nil, "", nil }, { output.size, output.text, output.expires })
    output = assert(answer(operation, 200, { ["X-Sizes"] = "1,2", Expires = "Thu, 01 Jan 1970 00:00:05 GMT" }, ""))
    assert.same({ { 1, 2 }, 5 }, { output.sizes, output.expires })
  end)

  it("of a member of its own go before those of a map, whatever the case", function()
    local request = assert(operation:request { size = 5, others = { ["SIZE"] = "6", more = "7" } })
    assert.same({ ["X-Size"] = "5", ["x-more"] = "7" }, request.headers)
  end)

  it("refuse a text that would begin another header", function()
    for _, text in ipairs { "a\r\nX-Other: b", "a\n", "\r", "a\0b" } do
      local request, mistake = operation:request { text = text }
      assert.is_nil(request)
      assert.matches("^X%-Text: expected a text of one line, found ", mistake)
      request, mistake = operation:request { others = { [text] = "b" } }
      assert.is_nil(request)
      assert.matches("^expected the name of a header, found ", mistake)
    end
  end)

  it("refuse values of other types in an input", function()
    for name, case in pairs { sizes = { 5, "sizes: expected a list, found 5" }, others = { 5, "others: expected a map, found 5" },
      size = { "x", 'size: expected an integer, found "x"' }, at = { 1e30, "at: expected a timestamp, found 1e+30" } } do
      local request, mistake = operation:request { [name] = case[1] }
      assert.is_nil(request)
      assert.equal(case[2], mistake)
    end
  end)
end)
