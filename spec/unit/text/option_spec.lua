local option = require "bide.text.option"

local kinds = option.kinds
local kind_of = { timeout = kinds.seconds, limit = kinds.size, redirects = kinds.count, name = kinds.text, shell = kinds.flag }

describe("bide.text.option", function()
  it("lets what fits through", function()
    for _, given in ipairs {
      {}, { timeout = 0.5 }, { timeout = math.huge }, { limit = 1 }, { limit = 2.0 }, { redirects = 0 }, { name = "" },
      { shell = false },
    } do
      assert.is_nil(option.check(given, kind_of))
    end
  end)

  for _, case in ipairs {
    { { timeout = 0 }, "timeout: expected a number of seconds above 0, found 0" },
    { { timeout = 0 / 0 }, "timeout: expected a number of seconds above 0, found nan" },
    { { timeout = "5" }, [[timeout: expected a number of seconds above 0, found "5"]] },
    { { limit = 0 }, "limit: expected a whole number above 0, found 0" },
    { { limit = 1.5 }, "limit: expected a whole number above 0, found 1.5" },
    { { limit = 2 ^ 60 }, "limit: expected a whole number above 0, found 1.15" },
    { { redirects = -1 }, "redirects: expected a whole number, 0 or more, found -1" },
    { { name = {} }, "name: expected a string, found a table" },
    { { nmae = "x" }, 'nmae: unknown option, did you mean "name"?' },
    { { zebra = 1 }, "zebra: unknown option" },
    { { "x" }, "1: unknown option" },
  } do
    it("says: " .. case[2], function()
      assert.equal(case[2], option.check(case[1], kind_of):sub(1, #case[2]))
    end)
  end

  it("sorts the names of a table as texts, and its keys by their texts", function()
    local members = { b = 1, [10] = 2, [2] = 3, [true] = 4, a = 5 }
    assert.same({ "10", "2", "a", "b", "true" }, option.sorted_names(members))
    assert.same({ 10, 2, "a", "b", true }, option.sorted_keys(members))
    assert.same({ {}, {} }, { option.sorted_names {}, option.sorted_keys {} })
  end)
end)
