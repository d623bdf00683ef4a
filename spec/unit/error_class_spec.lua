local error_class = require "bide.error_class"

local function of(kind, status) return { type = kind, status = status } end

---Each row: type, status, throttling, connection, transient.
local rows = {
  { "Throttling", 400, true, false, true },
  { "ThrottlingException", 400, true, false, true },
  { "ThrottledException", nil, true, false, true },
  { "RequestThrottledException", 400, true, false, true },
  { "ProvisionedThroughputExceededException", 400, true, false, true },
  { "RequestLimitExceeded", 503, true, false, true },
  { "SlowDown", 503, true, false, true },
  { "com.amazonaws.x#ThrottlingException:http://example.com/", 400, true, false, true },
  { "TooManyRequests", 429, true, false, true },
  { "Whatever", 429, true, false, true },
  { "AccessDenied", 429, false, false, false },
  { "LimitExceededException", 400, false, false, false },
  { "ConnectionRefused", nil, false, true, true },
  { "ConnectionReset", nil, false, true, true },
  { "ConnectionFailed", nil, false, true, true },
  { "NameNotResolved", nil, false, true, true },
  { "RequestTimeout", nil, false, true, true },
  { "TransportFailure", nil, false, true, true },
  { "RequestTimeout", 408, false, false, true },
  { "RequestTimeout", 400, false, false, true }, -- as S3 has it
  { "Timeout", nil, false, false, true },
  { "ExecTimeout", nil, false, false, true },
  { "ServerFailure", nil, false, false, true },
  { "TlsFailure", nil, false, false, false },
  { "InvalidUrl", nil, false, false, false },
  { "InvalidResponse", nil, false, false, true },
  { "InvalidResponse", 200, false, false, true },
  { "InvalidResponse", 404, false, false, false },
  { "InvalidResponse", 503, false, false, true },
  { "BodyTooLarge", nil, false, false, false },
  { "TooManyRedirects", nil, false, false, false },
  { "ServiceUnavailable", 503, false, false, true },
  { "ServiceUnavailable", nil, false, false, true },
  { "Http599", 599, false, false, true },
  { "Whatever", 500, false, false, true },
  { "Whatever", 600, false, false, false },
  { "Whatever", 499, false, false, false },
  { "Unauthorized", 401, false, false, false },
  { "Forbidden", 403, false, false, false },
  { "Whatever", 403, false, false, false },
  { "AccessDeniedException", 400, false, false, false },
  { "AccessDenied", 500, false, false, false },
  { "ValidationException", 400, false, false, false },
  { "Whatever", 400, false, false, false },
  { "NotFound", 404, false, false, false },
  { "Whatever", nil, false, false, false },
  { "", nil, false, false, false },
}

describe("the class of an operation error", function()
  it("is told by its type, and then by its status", function()
    for _, row in ipairs(rows) do
      local failure = of(row[1], row[2])
      local found = {
        error_class.is_throttling(failure), error_class.is_connection(failure), error_class.is_transient(failure),
      }
      assert.same({ row[3], row[4], row[5] }, found, ("%s %s"):format(row[1], row[2]))
    end
  end)

  it("is transient wherever it is throttling or a connection's", function()
    for _, row in ipairs(rows) do
      local failure = of(row[1], row[2])
      if error_class.is_throttling(failure) or error_class.is_connection(failure) then
        assert.is_true(error_class.is_transient(failure))
      end
    end
  end)

  it("is told of whatever was raised", function()
    for _, failure in ipairs { {}, { type = 5 }, { type = "X", status = "503" }, { type = "X", status = {} },
      { type = "X", status = 0 / 0 } } do
      assert.is_false(error_class.is_transient(failure))
      assert.is_false(error_class.is_throttling(failure))
      assert.is_false(error_class.is_connection(failure))
    end
  end)

  it("makes a matcher, with more types that pass, which never matches an output", function()
    local matcher = error_class.matcher("LOADING", "BUSY")
    for _, name in ipairs { "ConnectionRefused", "LOADING", "BUSY" } do
      assert.is_true(matcher { error = of(name) })
    end
    assert.is_false(matcher { error = of("Unauthorized", 401) })
    assert.is_false(matcher { output = {} })
    assert.is_false(error_class.matcher() { error = of("LOADING") })
  end)

  it("returns the types of a matcher that it made, and of no other", function()
    assert.same({ "LOADING" }, { error_class.types_of(error_class.matcher("LOADING")) })
    local others = { error_class.status_matcher("retry"), print, require("bide.expect").success().matcher.lua, "LOADING" }
    for _, other in ipairs(others) do
      assert.same({}, { error_class.types_of(other) })
    end
  end)
end)
