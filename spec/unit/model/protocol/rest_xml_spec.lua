---Requests and answers of restXml, without any data from outside.

local core = require "bide.core"
local model = require "bide.model"

local opened = model.of_texts { { file = "a.smithy", text = [[
$version: "2.0"
namespace a.b
@aws.protocols#restXml
@xmlNamespace(uri: "https://example.com/")
service Things { version: "1" operations: [PutThing, PutBody] }
@http(method: "PUT", uri: "/things/{name}")
operation PutThing {
    input := {
        @required @httpLabel name: String
        text: String
        @xmlAttribute kind: String
        names: Names
        @xmlFlattened tags: Tags
        @xmlFlattened @xmlNamespace(uri: "https://f/") flat: Names
        @xmlFlattened @xmlNamespace(uri: "https://m/", prefix: "m") @xmlName("map") spaced: Tags
    }
    output := { @httpPrefixHeaders("x-meta-") meta: Tags, text: String }
}
@http(method: "PUT", uri: "/body")
operation PutBody {
    input := { @httpPayload thing: Thing }
    output := { @httpPayload thing: Thing }
}
structure Thing { @xmlName("Size") size: Integer }
list Names { member: String }
map Tags { key: String, value: String }
]] } }

local put_thing, put_body = assert(opened:operation "PutThing"), assert(opened:operation "PutBody")

describe("an operation of restXml", function()
  it("writes elements, attributes, lists and maps", function()
    local request = assert(put_thing:request { name = "n", text = "a<b", kind = 'k"', names = { "x", "y" }, tags = { t = "1" } })
    assert.equal("/things/n", request.path)
    assert.equal("application/xml", request.headers["Content-Type"])
    local root = request.body:match "^(<PutThingInput [^>]*>)"
    assert.equal('<PutThingInput xmlns="https://example.com/" kind="k&quot;">', root)
    for _, part in ipairs { "<text>a&lt;b</text>", "<names><member>x</member><member>y</member></names>",
      "<tags><key>t</key><value>1</value></tags>" } do
      assert.is_truthy(request.body:find(part, 1, true), request.body)
    end
  end)

  it("gives the elements of flattened lists and maps the namespace of the member", function()
    local request = assert(put_thing:request { name = "n", flat = { "x", "y" }, spaced = { t = "1" } })
    assert.equal('<PutThingInput xmlns="https://example.com/"><flat xmlns="https://f/">x</flat><flat xmlns="https://f/">y</flat>'
      .. '<map xmlns:m="https://m/"><key>t</key><value>1</value></map></PutThingInput>', request.body)
  end)

  it("has no body where the input has nothing for it", function()
    local request = assert(put_thing:request { name = "n" })
    assert.same({ "", {} }, { request.body, request.headers })
    assert.same({ "", {} }, { put_body:request({}).body, put_body:request({}).headers })
  end)

  it("has a structure as its payload, in both directions", function()
    assert.equal('<Thing xmlns="https://example.com/"><Size>3</Size></Thing>', put_body:request({ thing = { size = 3 } }).body)
    assert.same({ thing = { size = 3 } },
      put_body:answer { status = 200, headers = {}, body = "<Thing><Size>3</Size></Thing>" })
  end)

  it("reads the body and the headers of an answer", function()
    local output = put_thing:answer { status = 200, headers = { ["X-Meta-a"] = "1" }, body = "<R><text>t</text></R>" }
    assert.equal('{"meta":{"a":"1"},"text":"t"}', core.json.encode(output))
    output = put_thing:answer { status = 200, headers = {}, body = "" }
    assert.equal('{"meta":{}}', core.json.encode(output))
  end)
end)
