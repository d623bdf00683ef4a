local new_check = require "bide.input"

local check = new_check { required = { "url" }, optional = { "path" }, numbers = { "status" } }

describe("bide.input", function()
  it("lets what fits through, and makes numbers of text", function()
    local input = { url = "x", path = "y", status = "204" }
    check(input)
    assert.same({ url = "x", path = "y", status = 204 }, input)
    check { url = "x" }
  end)

  for _, case in ipairs {
    { { path = "y" }, "the input url is missing" },
    { { url = "x", pth = "y" }, 'unknown input "pth", did you mean "path"?' },
    { { url = "x", zebra = "y" }, 'unknown input "zebra", wanted one of url, path, status' },
    { { url = "x", status = "ok" }, 'the input status must be a number, and is "ok"' },
  } do
    it("says: " .. case[2], function()
      local ok, failure = pcall(check, case[1])
      assert.is_false(ok)
      assert.same({ type = "InvalidInput", message = case[2] }, failure)
    end)
  end
end)
