---A tab in an attribute was sent as it is, of which readers make a blank.

local model = require "bide.model"

local MODEL = [[
$version: "2.0"
namespace example.things
@aws.protocols#restXml
service Things { version: "1", operations: [PutThing] }
@http(method: "PUT", uri: "/")
operation PutThing { input := { @xmlAttribute kind: String, name: String } }
]]

describe("a tab in an attribute of XML", function()
  it("is sent as a reference", function()
    local opened = model.of_texts { { file = "things.smithy", text = MODEL } }
    local request = assert(opened:operation("PutThing"):request { kind = "a\tb", name = "c\td" })
    assert.equal('<PutThingInput kind="a&#x9;b"><name>c&#x9;d</name></PutThingInput>', request.body)
  end)
end)
