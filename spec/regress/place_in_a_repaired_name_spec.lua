---A member's name that is no UTF-8 was repaired into a copy without its end, so that a message about a value below it went
---on into the memory behind the copy.

local json = require("bide.core").json

describe("the place of a value below a name that is no UTF-8", function()
  it("ends with the name", function()
    for length = 1, 30 do
      local _, failure = json.document { [("\xFF"):rep(length)] = { ("S"):rep(length), print } }
      local name = ("\u{FFFD}"):rep(length)
      assert.equal(name .. "[2] is a function, which JSON cannot represent", tostring(failure))
    end
  end)
end)
