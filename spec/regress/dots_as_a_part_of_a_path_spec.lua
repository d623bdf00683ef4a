---A label of a path was sent as "." or ".." where an input said so. A service, or a proxy before it, takes such a segment out of
---the path with the one before it: a wait for one thing asked for another, or for all of them.

local model = require "bide.model"

local opened = model.of_texts { { file = "a.smithy", text = [[
$version: "2.0"
namespace a.b
@aws.protocols#restJson1
service Things { version: "1" operations: [GetThing, GetPart] }
@http(method: "GET", uri: "/things/{name}/parts")
operation GetThing { input := { @required @httpLabel name: String }, output := {} }
@http(method: "GET", uri: "/things/{name}/{key+}")
operation GetPart { input := { @required @httpLabel name: String, @required @httpLabel key: String }, output := {} }
]] } }

describe("a label of a path", function()
  local thing, part = assert(opened:operation "GetThing"), assert(opened:operation "GetPart")

  it("is no segment of dots", function()
    for _, name in ipairs { ".", ".." } do
      local request, mistake = thing:request { name = name }
      assert.is_nil(request)
      assert.equal(("name: expected a part of the path, found %s, which names another path"):format(name), mistake)
      assert.is_nil((part:request { name = name, key = "k" }))
    end
    for name, path in pairs { ["..."] = "...", [".a"] = ".a", ["../x"] = "..%2Fx", ["%2e%2e"] = "%252e%252e" } do
      assert.equal("/things/" .. path .. "/parts", thing:request { name = name }.path)
    end
  end)

  it("may have them where it is several segments, as in keys of S3", function()
    assert.equal("/things/a/../b/./c", part:request({ name = "a", key = "../b/./c" }).path)
  end)
end)
