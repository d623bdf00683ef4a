local exclusive_or = require "bide.probe.peer.exclusive_or"

describe("the exclusive or of texts", function()
  it("is that of each byte", function()
    assert.equal("\0\255\x0F", exclusive_or("\xAA\xF0\x00", "\xAA\x0F\x0F"))
    assert.equal("", exclusive_or("", ""))
  end)

  it("gives the text back where it is used twice", function()
    assert.equal("secret", exclusive_or(exclusive_or("secret", "salted"), "salted"))
  end)
end)
