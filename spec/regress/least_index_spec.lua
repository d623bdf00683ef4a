---The analysis of an expression computed the negative of the least index that there can be, which no number is.

local jmespath = require("bide.core").jmespath

describe("the least index", function()
  it("is of no element, whatever is known of the list", function()
    for _, index in ipairs { "-9223372036854775808", "-99999999999999999999" } do
      for path, shape in pairs { ["[%s]"] = "any", ["names[%s]"] = { object = { names = { array = "string" } } } } do
        local expression = assert(jmespath.compile(path:format(index)))
        assert.same({}, assert(expression:analyse(shape)).problems)
        assert.equal("never-yes", (expression:judge "truth"))
      end
    end
  end)
end)
