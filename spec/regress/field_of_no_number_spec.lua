---A message about health with a field 0, which protobuf has not, said that the server was serving.

local message = require "bide.probe.grpc.message"

describe("an answer about health", function()
  local function status(protobuf) return message.status("\0" .. string.pack(">s4", protobuf)) end

  it("has no field 0", function()
    for _, field in ipairs { "\0\1", "\2\1x", "\5abcd", "\x80\0\1" } do
      assert.is_nil(status(field .. "\8\1"))
      assert.is_nil(status("\8\1" .. field))
    end
    assert.equal("SERVING", status "\16\1\8\1")
  end)
end)
