local option = require "bide.option"

local kinds = option.kinds
local kind_of = { timeout = kinds.seconds, limit = kinds.size, redirects = kinds.count, name = kinds.text, shell = kinds.flag }

describe("bide.option", function()
  it("lets what fits through", function()
    for _, given in ipairs {
      {}, { timeout = 0.5 }, { timeout = math.huge }, { limit = 1 }, { limit = 2.0 }, { redirects = 0 }, { name = "" },
      { shell = false },
    } do
      assert.is_nil(option.check(given, kind_of))
    end
  end)

  for _, case in ipairs {
    { { timeout = 0 }, "the option 'timeout' must be a number above 0, and is 0" },
    { { timeout = 0 / 0 }, "the option 'timeout' must be a number above 0, and is" },
    { { timeout = "5" }, [[the option 'timeout' must be a number above 0, and is "5"]] },
    { { limit = 0 }, "the option 'limit' must be a whole number above 0, and is 0" },
    { { limit = 1.5 }, "the option 'limit' must be a whole number above 0, and is 1.5" },
    { { limit = 2 ^ 60 }, "the option 'limit' must be" },
    { { redirects = -1 }, "the option 'redirects' must be a whole number, 0 or more, and is -1" },
    { { name = {} }, "the option 'name' must be a string, and is table" },
    { { nmae = "x" }, "unknown option 'nmae' (did you mean 'name'?)" },
    { { zebra = 1 }, "unknown option 'zebra'" },
    { { "x" }, "unknown option '1'" },
  } do
    it("says: " .. case[2], function()
      assert.equal(case[2], option.check(case[1], kind_of):sub(1, #case[2]))
    end)
  end
end)
