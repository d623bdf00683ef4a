local new_check = require "bide.input"

local check = new_check { required = { "url" }, optional = { "path" }, numbers = { "status" }, values = { "expect" } }
local check_port = new_check { required = { "port" }, numbers = { "port" } }

describe("bide.input", function()
  it("lets what fits through, and makes numbers of text", function()
    local input = { url = "x", path = "y", status = "204" }
    check(input)
    assert.same({ url = "x", path = "y", status = 204 }, input)
    check { url = "x", expect = { 3 } }
    check_port { port = "80" }
  end)

  it("tells each name once", function()
    local _, failure = pcall(check_port, { port = "80", zebra = "y" })
    assert.matches("wanted one of port$", failure.message)
  end)

  for _, case in ipairs {
    { { path = "y" }, "the input url is missing" },
    { { url = "x", pth = "y" }, 'unknown input "pth", did you mean "path"?' },
    { { url = "x", zebra = "y" }, 'unknown input "zebra", wanted one of url, path, status, expect' },
    { { url = "x", status = "ok" }, 'the input status must be a number, and is "ok"' },
    { { url = 80 }, "the input url must be a text, and is 80" },
    { { url = "x", path = { "y" } }, "the input path must be a text, and is table" },
  } do
    it("says: " .. case[2], function()
      local ok, failure = pcall(check, case[1])
      assert.is_false(ok)
      assert.same({ type = "InvalidInput", message = case[2] }, failure)
    end)
  end
end)
