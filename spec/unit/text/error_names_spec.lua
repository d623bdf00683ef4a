local error_names = require "bide.text.error_names"

local names = { DbNotFound = "DbNotFoundFault" }

describe("the names of errors", function()
  it("replace a code in an error, whose own table stays", function()
    local given = { type = "x#DbNotFound:http://y", message = "none", status = 404, retryAfter = 3 }
    assert.same({ type = "DbNotFoundFault", code = "x#DbNotFound:http://y", message = "none", status = 404, retryAfter = 3 },
      error_names.of_error(names, given))
    assert.equal("x#DbNotFound:http://y", given.type)
  end)

  it("leave every other error alone", function()
    for _, type in ipairs { "DbNotFoundFault", "dbnotfound", "", "x#DbNotFoundFault" } do
      local given = { type = type, code = 7 }
      assert.equal(given, error_names.of_error(names, given))
      assert.equal(given, error_names.of_error(nil, given))
    end
  end)

  it("replace a code in an acceptor, whose own table stays", function()
    local given = { state = "failure", message = "m", option = "--fail", matcher = { errorType = "x#DbNotFound" } }
    local other = { state = "success", matcher = { success = true } }
    local renamed = error_names.of_acceptors(names, { given, other })
    assert.same({ state = "failure", message = "m", option = "--fail", matcher = { errorType = "DbNotFoundFault" } }, renamed[1])
    assert.equal(other, renamed[2])
    assert.equal("x#DbNotFound", given.matcher.errorType)
  end)
end)
