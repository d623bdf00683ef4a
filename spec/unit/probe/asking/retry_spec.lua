local bide = require "bide"
local retry = require "bide.probe.asking.retry"

---The presets as the seed has them. What is retried: type, status, and whether by botocore, Java, JavaScript.
local rows = {
  { "ConnectionRefused", nil, true, true, false },
  { "ConnectionReset", nil, true, true, false },
  { "ConnectionFailed", nil, true, true, false },
  { "NameNotResolved", nil, true, true, false },
  { "RequestTimeout", nil, true, true, true },
  { "InternalServerError", 500, true, true, true },
  { "NotImplemented", 501, false, false, true },
  { "BadGateway", 502, true, false, true },
  { "ServiceUnavailable", 503, true, true, true },
  { "GatewayTimeout", 504, true, false, true },
  { "BandwidthLimitExceeded", 509, true, true, true },
  { "Http599", 599, false, false, true },
  { "TooManyRequests", 429, true, true, true },
  { "ThrottlingException", 400, true, true, false },
  { "ThrottledException", 400, true, true, false },
  { "RequestThrottledException", 400, true, true, false },
  { "Throttling", 400, true, true, false },
  { "ProvisionedThroughputExceededException", 400, true, true, false },
  { "RequestTimeTooSkewed", 403, false, true, false },
  { "RequestExpired", 400, false, true, false },
  { "InvalidSignatureException", 400, false, true, false },
  { "SignatureDoesNotMatch", 403, false, true, false },
  { "RequestInTheFuture", 400, false, true, false },
  { "AuthFailure", 401, false, true, false },
  { "NotFound", 404, false, false, false },
  { "AccessDenied", 403, false, false, false },
  { "ValidationException", 400, false, false, false },
  { "TlsFailure", nil, true, true, false },
  { "InvalidResponse", nil, true, true, false },
  { "InvalidResponse", 200, false, true, false },
  { "InvalidUrl", nil, false, false, false },
}

---How often the policy retries a failure, and the delays in milliseconds.
local function delays(policy, failure, headers)
  local retrying, list = retry.begin(assert(retry.read(policy))), {}
  for _ = 1, 1000 do
    local delay = retrying:next_delay(failure, headers)
    if not delay then break end
    list[#list + 1] = delay
  end
  return list
end

describe("the presets of retries", function()
  it("retry what the seed says, and nothing else", function()
    for _, row in ipairs(rows) do
      for column, name in pairs { [3] = "botocore", [4] = "aws-java", [5] = "aws-js" } do
        local retries = delays(name, { type = row[1], status = row[2] })
        assert.equal(row[column], #retries > 0, ("%s %s by %s"):format(row[1], row[2], name))
      end
    end
  end)

  it("make as many tries as the seed says", function()
    local failure = { type = "ServiceUnavailable", status = 503 }
    for name, count in pairs { botocore = 5, ["aws-java"] = 4, ["aws-js"] = 4, standard = 3, none = 1 } do
      assert.equal(count, #delays(name, failure) + 1, name)
    end
  end)

  it("pause within the seed's bounds", function()
    -- what fails, and the bounds of each delay in milliseconds
    local unavailable, throttled = { type = "X", status = 503 }, { type = "Throttling", status = 400 }
    local bounds = {
      { "botocore", unavailable, { 0, 1000 }, { 0, 2000 }, { 0, 4000 }, { 0, 8000 } },
      { "botocore", throttled, { 0, 1000 }, { 0, 2000 }, { 0, 4000 }, { 0, 8000 } },
      { "aws-java", unavailable, { 0, 100 }, { 0, 200 }, { 0, 400 } },
      { "aws-java", throttled, { 250, 500 }, { 500, 1000 }, { 1000, 2000 } },
      { "aws-js", unavailable, { 0, 200 }, { 0, 400 }, { 0, 800 } },
      { "standard", unavailable, { 0, 1000 }, { 0, 2000 } },
    }
    for _, row in ipairs(bounds) do
      local highest = {}
      for _ = 1, 300 do
        local list = delays(row[1], row[2])
        assert.equal(#row - 2, #list)
        for i, delay in ipairs(list) do
          local low, high = row[i + 2][1], row[i + 2][2]
          assert(delay >= low and delay <= high, ("%s: retry %d after %d ms"):format(row[1], i, delay))
          highest[i] = math.max(highest[i] or 0, delay)
        end
      end
      for i, high in ipairs(highest) do assert.is_true(high > row[i + 2][2] * 0.9) end
    end
  end)

  it("of Java have its cap and its times, in milliseconds", function()
    local java = retry.presets["aws-java"]
    assert.same({ "fullJitter", 100, 20000 }, java.usual)
    assert.same({ "equalJitter", 500, 20000 }, java.throttled)
    assert.same({ 10000, 50000 }, { java.connect_timeout, java.idle_timeout })
  end)

  it("of JavaScript add Retry-After to the pause, the standard one waits at least so long", function()
    for _, seconds in ipairs { 30, "30" } do
      local failure = { type = "X", status = 503, retryAfter = seconds }
      local delay = delays("aws-js", failure)[1]
      assert.is_true(delay >= 30000 and delay <= 30200)
      assert.equal(30000, delays("standard", failure)[1])
      assert.is_true(delays("aws-java", failure)[1] <= 100)
      assert.equal(30000, delays({ preset = "aws-java", retryAfter = true }, failure)[1])
      assert.is_true(delays({ preset = "aws-js", retryAfter = false }, failure)[1] <= 200)
    end
  end)

  it("ignore a retryAfter that is not a time", function()
    for _, odd in ipairs { "soon", "", true, {}, 0 / 0, math.huge, -math.huge, -5 } do
      assert.is_true(delays("aws-js", { type = "X", status = 503, retryAfter = odd })[1] <= 200)
    end
  end)

  it("never retry what cannot be sent again", function()
    for name in pairs(retry.presets) do
      assert.same({}, delays(name, { type = "ServiceUnavailable", status = 503, repeatable = false }))
    end
  end)
end)

describe("a policy of one's own", function()
  local failure = { type = "X", status = 503 }

  it("changes a preset, which stays as it is", function()
    assert.equal(7, #delays({ preset = "botocore", retries = 7 }, failure))
    assert.equal(0, #delays({ preset = "botocore", retries = 0 }, failure))
    assert.equal(4, #delays("botocore", failure))
    assert.same({ 100, 200, 400, 500 }, delays({ retries = 4, strategy = "exponential", base = 0.1, cap = 0.5 }, failure))
    assert.same({ 100, 200 }, delays({ strategy = "exponential", base = 0.1, cap = math.huge }, failure))
    for _, delay in ipairs(delays({ preset = "aws-java", retries = 50, cap = 0.6 }, { type = "Throttling" })) do
      assert.is_true(delay >= 250 and delay <= 600)
    end
  end)

  it("has a customBackoff, a function of the retry count, for any preset", function()
    for _, name in ipairs { "botocore", "aws-java", "aws-js", "standard" } do
      local counts = {}
      local list = delays({ preset = name, retries = 3, customBackoff = function(count)
        counts[#counts + 1] = count
        return count / 2
      end }, failure)
      assert.same({ { 1, 2, 3 }, { 500, 1000, 1500 } }, { counts, list })
    end
    assert.same({ 0, 0 }, delays({ customBackoff = function() return -1 end }, failure))
    assert.error_matches(function() delays({ customBackoff = function() return "1" end }, failure) end,
      'customBackoff: expected a number of seconds, found "1"')
  end)

  it("says itself what is retried", function()
    local policy = { retryable = function(found) return found.type == "NotFound" end }
    assert.same({ 2, 0 }, { #delays(policy, { type = "NotFound", status = 404 }), #delays(policy, failure) })
  end)

  it("hears how far the service's clock is ahead", function()
    local offset
    local policy = { preset = "aws-java", clockSkew = function(seconds) offset = seconds end }
    local skewed = { type = "RequestTimeTooSkewed", status = 403 }
    local ahead = os.date("!%a, %d %b %Y %H:%M:%S GMT", os.time() + 600)
    assert.equal(3, #delays(policy, skewed, { date = ahead }))
    assert.is_true(offset > 597 and offset <= 600)
    offset = nil
    assert.equal(3, #delays(policy, skewed, {}))
    assert.equal(3, #delays(policy, failure, { date = ahead }))
    assert.is_nil(offset)
  end)

  it("is checked", function()
    local names = 'expected "aws-java", "aws-js", "botocore", "none" or "standard", or a table'
    local bad = {
      { "aws-jav", names .. [[, found "aws-jav", did you mean "aws-java"?]] },
      { 3, names .. ", found 3" },
      { true, names .. ", found true" },
      { { preset = "boto" }, names .. ', found "boto"' },
      { { retrys = 3 }, 'retrys: unknown option, did you mean "retries"?' },
      { { retries = -1 }, "retries: expected a whole number, 0 or more, found -1" },
      { { base = 0 }, "base: expected a number of seconds above 0, found 0" },
      { { strategy = "jitter" }, 'strategy: expected "exponential", "fullJitter", "equalJitter", ' },
      { { customBackoff = 1 }, "customBackoff: expected a function, found 1" },
    }
    for _, row in ipairs(bad) do
      local read, mistake = retry.read(row[1])
      assert.is_nil(read)
      assert(mistake:find(row[2], 1, true), mistake)
    end
  end)
end)

describe("bide.probe.asking.retry", function()
  local quick = { retries = 3, base = 0.001, cap = 0.001 }

  ---A function that fails so often with an error, and then returns what it was called with.
  local function failing(times, failure)
    local count = 0
    return function(...)
      count = count + 1
      if count <= times then error(failure or { type = "ServiceUnavailable", message = "not now" }) end
      return count, ...
    end
  end

  it("calls again until it succeeds, with the same arguments", function()
    assert.same({ 3, "a", nil, "b", n = 4 }, table.pack(bide.retry(quick, failing(2), "a", nil, "b")))
    assert.equal(1, bide.retry("none", failing(0)))
  end)

  it("raises the last error with how often it was tried", function()
    local failure = { type = "ServiceUnavailable", message = "not now", status = 503 }
    for _ = 1, 2 do
      local ok, raised = pcall(bide.retry, quick, failing(9, failure))
      assert.same({ false, { type = "ServiceUnavailable", message = "not now, after 4 tries", status = 503, tries = 4 } },
        { ok, raised })
    end
    assert.equal("not now", failure.message) -- the script's own table stays as it is
    local _, raised = pcall(bide.retry, quick, failing(9, { type = "Timeout" }))
    assert.equal("after 4 tries", raised.message)
  end)

  it("raises at once, and as it is, what is not tried again", function()
    local failure = { type = "NotFound" }
    local ok, raised = pcall(bide.retry, quick, failing(9, failure))
    assert.is_true(not ok and rawequal(failure, raised))
    assert.is_nil(raised.tries)
  end)

  it("never tries a bug again", function()
    local count = 0
    local ok, raised = pcall(bide.retry, quick, function()
      count = count + 1
      local nothing = nil
      return nothing.field
    end)
    assert.same({ false, 1 }, { ok, count })
    assert.matches("retry_spec.lua:%d+: attempt to index a nil value", tostring(raised))
  end)

  it("keeps the class of an error", function()
    local class = { __index = { type = "ServiceUnavailable" } }
    local _, raised = pcall(bide.retry, quick, failing(9, setmetatable({ message = "x" }, class)))
    assert.equal(class, getmetatable(raised))
    assert.same({ "ServiceUnavailable", "x, after 4 tries", 4 }, { raised.type, raised.message, raised.tries })
  end)

  it("refuses what is no policy and no function", function()
    assert.error_matches(function() bide.retry("often", print) end, 'bide.retry: expected "aws%-java", .*, found "often"')
    assert.error_matches(function() bide.retry("none", 5) end, "bide.retry: expected a function")
  end)

  it("shows in the history of the wait that it happened in", function()
    local waiter = bide.waiter {
      name = "ThingExists", minDelay = 0.001, maxDelay = 0.001,
      call = function(input)
        input.count = input.count + 1
        return bide.retry(quick, failing(input.fails))
      end,
      acceptors = {
        { state = "retry", matcher = { errorType = "ServiceUnavailable" } },
        { state = "success", matcher = { success = true } },
      },
    }
    local function wait(fails, maxAttempts)
      local outcome, failed = waiter:wait({ fails = fails, count = 0 }, { maxWait = 5, maxAttempts = maxAttempts })
      return outcome or failed
    end
    assert.is_nil(wait(0).history[1].note)
    assert.equal("1 retry", wait(1).history[1].note)
    assert.equal("2 retries", wait(2).history[1].note)
    local failed = wait(100, 2)
    assert.same({ "3 retries", "3 retries" }, { failed.history[1].note, failed.history[2].note })
    assert.same({ "not now, after 4 tries", 4 }, { failed.error.message, failed.error.tries })
  end)
end)
