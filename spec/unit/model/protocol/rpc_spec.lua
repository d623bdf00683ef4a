---The protocols rpcv2Cbor and rpcv2Json, without any data from outside.

local cbor = require "bide.model.protocol.cbor"
local core = require "bide.core"
local model = require "bide.model"
local protocols = require "spec.support.protocols"

local json = core.json

local OF_CBOR, OF_JSON = protocols.headers_of "rpcv2Cbor", protocols.headers_of "rpcv2Json"

local opened = model.of_texts { { file = "a.smithy", text = [[
$version: "2.0"
namespace a.b
use smithy.protocols#rpcv2Cbor
@rpcv2Cbor
@aws.protocols#awsQueryCompatible
service Things { version: "1" operations: [GetThing, Ping] }
operation GetThing { input := with [Parts] { @idempotencyToken token: String }, output := with [Parts] {}, errors: [NotFound] }
operation Ping {}
@mixin
structure Parts {
    text: String
    size: Long
    ratio: Double
    small: Float
    large: BigInteger
    exact: BigDecimal
    at: Timestamp
    data: Blob
    names: Names
    nested: Nested
}
structure Nested {
    size: Integer = 3
}
@sparse
list Names { member: String }
@aws.protocols#awsQueryError(code: "Old.Name", httpResponseCode: 404)
@error("client")
structure NotFound {}
]] } }
assert.equal("", model.describe_all(opened.problems))

local by_cbor = assert(opened:operation("GetThing"))
local by_json = assert(opened:operation("GetThing", { protocol = "smithy.protocols#rpcv2Json" }))

local input = { text = "é", size = 9007199254740993, ratio = 2, small = 1.5, large = 2.0 ^ 64, exact = 0.25, at = 1.5,
  data = "AP8=", names = { "a", json.null }, nested = {}, token = "t" }

describe("rpcv2Cbor", function()
  it("posts the input to the path of the operation", function()
    local request = assert(by_cbor:request(input))
    assert.same({ "POST", "/service/Things/operation/GetThing", {} }, { request.method, request.path, request.query })
    assert.same({ ["smithy-protocol"] = "rpc-v2-cbor", Accept = "application/cbor", ["Content-Type"] = "application/cbor",
      ["x-amzn-query-mode"] = "true" }, request.headers)
    local wanted = { text = "é", size = 9007199254740993, ratio = 2.0, small = cbor.single(1.5), large = cbor.whole(2.0 ^ 64),
      exact = cbor.decimal(0.25), at = cbor.tagged(1, 1.5), data = cbor.bytes "\0\xFF",
      names = json.array { "a", json.null }, nested = { size = 3 }, token = "t" }
    assert.equal(json.encode(cbor.encode(wanted)), json.encode(request.body))
  end)

  it("has neither a body nor its type for an operation without an input", function()
    local request = assert(opened:operation("Ping"):request {})
    assert.same({ "", nil }, { request.body, request.headers["Content-Type"] })
  end)

  it("reads what it wrote", function()
    local request = assert(by_cbor:request(input))
    local output = assert(by_cbor:answer { status = 200, headers = OF_CBOR, body = request.body })
    input.token, input.nested = nil, { size = 3 }
    assert.equal(protocols.canonical(input), protocols.canonical(output))
    input.token = "t"
    assert.equal("{}", json.encode((by_cbor:answer { status = 200, headers = OF_CBOR, body = "" })))
  end)

  it("takes no answer of a program that does not say that it speaks the protocol", function()
    for _, headers in ipairs { {}, OF_JSON, { ["Content-Type"] = "application/cbor" }, { ["smithy-protocol"] = "" } } do
      local output, failure = by_cbor:answer { status = 200, headers = headers, body = cbor.encode { text = "a" } }
      assert.is_nil(output)
      assert.same({ "InvalidResponse", "the answer has no header smithy-protocol: rpc-v2-cbor" },
        { failure.type, failure.message })
    end
  end)

  it("names an error by its shape, whichever name the service sends", function()
    local cases = {
      { {}, cbor.encode { __type = "a.b#NotFound", message = "no" }, "NotFound", "NotFound", "no" },
      { { ["x-amzn-query-error"] = "Old.Name;Sender" }, cbor.encode { __type = "a.b#NotFound", Message = "no" }, "NotFound",
        "Old.Name", "no" },
      { { ["x-amzn-query-error"] = "Other;Sender" }, cbor.encode { __type = "a.b#NotFound", more = { 1 } }, "NotFound",
        "Other", "Bad Request" },
      { { ["x-amzn-query-error"] = "Old.Name;Sender" }, "\xFF", "NotFound", "Old.Name", "Bad Request" },
      { {}, "", "Http400", "Http400", "Bad Request" },
      { {}, "<html>", "Http400", "Http400", "Bad Request" },
    }
    for _, case in ipairs(cases) do
      case[1]["Smithy-Protocol"] = "rpc-v2-cbor"
      local output, failure = by_cbor:answer { status = 400, headers = case[1], body = case[2] }
      assert.is_nil(output)
      assert.same({ case[3], case[4], case[5] }, { failure.type, failure.code, failure.message })
    end
  end)

  it("believes no error of a program that does not say that it speaks the protocol", function()
    local named = { ["x-amzn-errortype"] = "NotFound", ["x-amzn-query-error"] = "Old.Name;Sender" }
    for _, headers in ipairs { {}, OF_JSON, named, { ["smithy-protocol"] = "" } } do
      local body = cbor.encode { __type = "a.b#NotFound" }
      for _, status in ipairs { 404, 503 } do
        local output, failure = by_cbor:answer { status = status, headers = headers, body = body }
        assert.is_nil(output)
        assert.same({ "Http" .. status, "Http" .. status, status }, { failure.type, failure.code, failure.status })
      end
    end
  end)

  it("refuses values that the shape has not", function()
    local cases = {
      size = { 1.5, "size: expected a long, found 1.5" }, large = { 0 / 0, "large: expected a bigInteger, found nan" },
      data = { "a", 'data: expected a blob, found "a"' }, names = { { 1 }, "names[0]: expected a string, found 1" },
      at = { "soon", 'at: expected a timestamp, found "soon"' }, nested = { 3, "nested: expected a structure, found 3" },
    }
    for name, case in pairs(cases) do
      local request, mistake = by_cbor:request { [name] = case[1] }
      assert.is_nil(request)
      assert.equal(case[2], mistake)
    end
  end)
end)

describe("rpcv2Json", function()
  it("posts the same as JSON, with large numbers as texts", function()
    local request = assert(by_json:request(input))
    assert.equal("/service/Things/operation/GetThing", request.path)
    assert.same({ "rpc-v2-json", "application/json" }, { request.headers["smithy-protocol"], request.headers.Accept })
    assert.equal('{"at":1.5,"data":"AP8=","exact":"0.25","large":"18446744073709551616","names":["a",null],"nested":'
      .. '{"size":3},"ratio":2,"size":9007199254740993,"small":1.5,"text":"é","token":"t"}', request.body)
  end)

  it("reads large numbers from texts", function()
    local output = by_json:answer { status = 200, headers = OF_JSON, body = '{"large": "18446744073709551616", "exact": "0.25"}' }
    assert.same({ large = 2.0 ^ 64, exact = 0.25 }, output)
  end)
end)

describe("an idempotency token", function()
  it("is made where the input has none", function()
    local first = assert(cbor.decode(by_cbor:request({}).body)).token
    assert.matches("^%x+%-%x+%-4%x+%-[89ab]%x+%-%x+$", first)
    assert.not_equal(first, cbor.decode(by_cbor:request({}).body).token)
    assert.equal("t", cbor.decode(by_cbor:request({ token = "t" }).body).token)
  end)
end)
