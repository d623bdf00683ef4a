---Inputs of scripts that are not what JSON can be ended in script errors of bide, and an answer of awsQuery without its
---result in one that named a nil value.

local core = require "bide.core"
local model = require "bide.model"

local opened = model.of_texts { { file = "a.smithy", text = [[
$version: "2.0"
namespace a.b
@aws.protocols#awsJson1_0
service Service { version: "1" operations: [GetThing] }
@http(method: "POST", uri: "/")
operation GetThing { input := { node: Node, map: Map }, output := { size: Integer } }
structure Node { node: Node }
map Map { key: String, value: String }
]] } }

local endless = {}
endless.node = endless

describe("an operation", function()
  for _, name in ipairs { "aws.protocols#awsJson1_0", "aws.protocols#restJson1", "aws.protocols#restXml",
    "aws.protocols#awsQuery", "aws.protocols#ec2Query", "smithy.protocols#rpcv2Json", "smithy.protocols#rpcv2Cbor" } do
    local operation = assert(opened:operation("GetThing", { protocol = name }))

    it("refuses a structure that holds itself by " .. name, function()
      local request, mistake = operation:request { node = endless }
      assert.is_nil(request)
      assert.equal("node: expected at most 512 levels, found more", mistake)
    end)

    it("refuses a map with other keys than texts by " .. name, function()
      local request, mistake = operation:request { map = { a = "x", [2.5] = "y" } }
      assert.is_nil(request)
      assert.equal("map: expected a map with texts as keys, found 2.5", mistake)
    end)
  end

  it("of awsQuery has an output without members where the result has none", function()
    local operation = assert(opened:operation("GetThing", { protocol = "aws.protocols#awsQuery" }))
    local function answer(body) return operation:answer { status = 200, headers = {}, body = body } end
    assert.equal("{}", core.json.encode((answer "<GetThingResponse><GetThingResult/></GetThingResponse>")))
    local output, failure = answer "<GetThingResponse/>"
    assert.same({ nil, "InvalidResponse" }, { output, failure.type })
  end)
end)
