local new_check = require "bide.input"

local check = new_check { required = { "url" }, optional = { "path" }, numbers = { "status" }, values = { "expect" } }
local check_port = new_check { required = { "port" }, ports = { "port" }, seconds = { "timeout" } }

describe("bide.input", function()
  it("lets what fits through, and makes numbers of text", function()
    local input = { url = "x", path = "y", status = "204" }
    check(input)
    assert.same({ url = "x", path = "y", status = 204 }, input)
    check { url = "x", expect = { 3 } }
    input = { port = "80", timeout = "0.5" }
    check_port(input)
    assert.same({ port = 80, timeout = 0.5 }, input)
  end)

  it("tells each name once", function()
    local _, failure = pcall(check_port, { port = "80", zebra = "y" })
    assert.matches("wanted one of port, timeout$", failure.message)
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

  it("lets one of several texts through, and tells them", function()
    local check_scope = new_check { choices = { scope = { "system", "user" } } }
    check_scope { scope = "user" }
    check_scope {}
    local _, failure = pcall(check_scope, { scope = "usr" })
    assert.equal('the input scope must be one of system, user, and is "usr", did you mean "user"?', failure.message)
    _, failure = pcall(check_scope, { scope = 3 })
    assert.equal("the input scope must be one of system, user, and is 3", failure.message)
  end)

  for _, case in ipairs {
    { { port = 65536 }, "the input port must be a port, 1 to 65535, and is 65536" },
    { { port = "80.5" }, 'the input port must be a port, 1 to 65535, and is "80.5"' },
    { { port = "http" }, 'the input port must be a port, 1 to 65535, and is "http"' },
    { { port = 80, timeout = 0 }, "the input timeout must be a number above 0, and is 0" },
    { { port = 80, timeout = "5s" }, 'the input timeout must be a number above 0, and is "5s"' },
    { { timeout = 1 }, "the input port is missing" },
  } do
    it("says: " .. case[2], function()
      local _, failure = pcall(check_port, case[1])
      assert.same({ type = "InvalidInput", message = case[2] }, failure)
    end)
  end
end)
