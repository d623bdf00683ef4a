---An error in XML that came with the status 200, as S3 sends some, was read as the output of an operation of restXml, and so was
---a page of a proxy: a condition held by what it had, or by what it had not.

local model = require "bide.model"

local opened = model.of_texts { { file = "a.smithy", text = [[
$version: "2.0"
namespace a.b
@aws.protocols#restXml
service Things { version: "1" operations: [GetThing, GetPart, GetPlace, GetError] }
@http(method: "GET", uri: "/")
operation GetThing { input := {}, output := { status: String, items: Items } }
@http(method: "GET", uri: "/part")
operation GetPart { input := {}, output := { @httpPayload part: Part } }
@http(method: "GET", uri: "/place")
@aws.customizations#s3UnwrappedXmlOutput
operation GetPlace { input := {}, output := { status: String } }
@http(method: "GET", uri: "/error")
operation GetError { input := {}, output: Error }
structure Part { status: String }
structure Error { status: String }
list Items { member: Part }
]] } }

local function answer_of(name, body)
  return assert(opened:operation(name)):answer { status = 200, headers = {}, body = body }
end

describe("an answer in XML with a good status", function()
  it("is no output if it is an error or a page", function()
    for name, own in pairs { GetThing = "GetThingOutput", GetPart = "Part", GetPlace = "GetPlaceOutput" } do
      for _, root in ipairs { "Error", "ErrorResponse", "html" } do
        for _, before in ipairs { "", '<?xml version="1.0"?>\n', "<!-- -->", "\xEF\xBB\xBF" } do
          local output, failure = answer_of(name, ("%s<%s><status>on</status><items/></%s>"):format(before, root, root))
          assert.is_nil(output)
          assert.same({ type = "InvalidResponse", status = 200,
            message = ("the answer: expected <%s>, found <%s>"):format(own, root) }, failure)
        end
      end
    end
  end)

  it("is an output by any other root", function()
    assert.same({ status = "on" }, answer_of("GetThing", "<Anything><status>on</status></Anything>"))
    assert.same({ part = { status = "on" } }, answer_of("GetPart", "<Anything><status>on</status></Anything>"))
    assert.same({ status = "on" }, answer_of("GetPlace", "<status>on</status>"))
    assert.same({ status = "on" }, answer_of("GetError", "<Error><status>on</status></Error>"))
  end)
end)
