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
    assert.matches("expected one of port, timeout$", failure.message)
  end)

  for _, case in ipairs {
    { { path = "y" }, "the input url is missing" },
    { { url = "x", pth = "y" }, 'unknown input "pth", did you mean "path"?' },
    { { url = "x", zebra = "y" }, 'unknown input "zebra", expected one of url, path, status, expect' },
    { { url = "x", status = "ok" }, 'status: expected a number, found "ok"' },
    { { url = 80 }, "url: expected a string, found 80" },
    { { url = "x", path = { "y" } }, "path: expected a string, found a list" },
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
    assert.equal('scope: expected one of system, user, found "usr", did you mean "user"?', failure.message)
    _, failure = pcall(check_scope, { scope = 3 })
    assert.equal("scope: expected one of system, user, found 3", failure.message)
  end)

  for _, case in ipairs {
    { { port = 65536 }, "port: expected 1 to 65535, found 65536" },
    { { port = "80.5" }, 'port: expected 1 to 65535, found "80.5"' },
    { { port = "http" }, 'port: expected 1 to 65535, found "http"' },
    { { port = 80, timeout = 0 }, "timeout: expected a number of seconds above 0, found 0" },
    { { port = 80, timeout = "5s" }, 'timeout: expected a number of seconds above 0, found "5s"' },
    { { timeout = 1 }, "the input port is missing" },
  } do
    it("says: " .. case[2], function()
      local _, failure = pcall(check_port, case[1])
      assert.same({ type = "InvalidInput", message = case[2] }, failure)
    end)
  end
end)
