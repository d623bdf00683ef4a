---A NaN was sent in CBOR with the sign that the processor gives it.

local cbor = require "bide.model.protocol.cbor"

describe("a NaN in CBOR", function()
  it("has no sign", function()
    for _, nan in ipairs { 0 / 0, -(0 / 0) } do
      assert.equal("\xFB\x7F\xF8\0\0\0\0\0\0", cbor.encode(nan))
      assert.equal("\xFA\x7F\xC0\0\0", cbor.encode(cbor.single(nan)))
    end
  end)
end)
