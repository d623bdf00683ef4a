---"Did you mean" named any name of one letter for any other.

local nearest = require("bide.core").names.nearest

describe("a name of one letter", function()
  it("is near to itself only, in whatever case", function()
    assert.is_nil(nearest("Y", { "X", "Z" }))
    assert.equal("X", nearest("x", { "X", "Z" }))
    assert.is_nil(nearest("", { "X" }))
  end)

  it("may be what a slip has left of two", function()
    assert.equal("X", nearest("Xy", { "X", "Z" }))
  end)
end)
