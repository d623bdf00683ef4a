---A shape of botocore with the name of an operation was taken for it, so that requests with such a member raised an error.

local core = require "bide.core"
local model = require "bide.model"

local SERVICE = { metadata = { serviceId = "Things", protocol = "json", jsonVersion = "1.1", targetPrefix = "Things" },
  operations = { DeleteStream = { name = "DeleteStream", input = { shape = "Input" } },
    UpdateThing = { name = "UpdateThing", input = { shape = "Input" } } },
  shapes = {
    Input = { type = "structure", members = { deleteStream = { shape = "DeleteStream" }, thing = { shape = "UpdateThing" },
      other = { shape = "UpdateThingShape" } } },
    DeleteStream = { type = "boolean" }, UpdateThingShape = { type = "integer" },
    UpdateThing = { type = "structure", members = { name = { shape = "UpdateThingShape" } } },
  } }

describe("a shape of botocore with the name of an operation", function()
  it("is another shape than the operation", function()
    local opened = model.of_texts { { file = "service-2.json", text = core.json.encode(SERVICE) } }
    assert.equal("", model.describe_all(opened.problems))
    for name in pairs(SERVICE.operations) do
      local request = assert(opened:operation(name):request { deleteStream = true, thing = { name = 5 }, other = 6 })
      assert.same({ deleteStream = true, thing = { name = 5 }, other = 6 }, core.json.decode(request.body))
    end
  end)
end)
