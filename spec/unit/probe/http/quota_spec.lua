---The quota of retries: what it costs to send a request again, and what brings tokens back.

local core = require "bide.core"
local policy = require "bide.probe.http.policy"
local quota = require "bide.probe.http.quota"
local retry = require "bide.probe.asking.retry"

local busy, late = { type = "ServiceUnavailable", status = 503 }, { type = "RequestTimeout" }

---A quota that no other case has used.
local number = 0
local function new()
  number = number + 1
  return quota.of { url = ("http://h%d.example/a"):format(number) }
end

---Counts how often tokens for a retry are there.
local function drain(one, failure)
  local count = 0
  while not one:take(failure) do count = count + 1 end
  return count
end

describe("the quota of retries", function()
  it("is 500 tokens: 5 for a retry, 10 after a timeout", function()
    assert.equal(100, drain(new(), busy))
    for _, kind in ipairs { "RequestTimeout", "RequestTimeoutException", "Timeout", "ExecTimeout" } do
      assert.equal(50, drain(new(), { type = kind }))
    end
    assert.equal(50, drain(new(), { type = "com.example#RequestTimeout:http://x/" }))
    local one = new()
    for _ = 1, 99 do one:take(busy) end
    assert.is_string(one:take(late)) -- 5 are left
    assert.is_nil(one:take(busy))
  end)

  it("gets one token back for a success, and never more than all", function()
    local one = new()
    drain(one, busy)
    for _ = 1, 4 do one:give() end
    assert.is_string(one:take(busy))
    one:give()
    assert.is_nil(one:take(busy))
    for _ = 1, 1000 do one:give() end
    assert.equal(100, drain(one, busy))
  end)

  it("is that of the origin, however its URL is written", function()
    local one = quota.of { url = "https://Same.example/a" }
    drain(one, busy)
    for _, url in ipairs { "https://same.example:443/b?c", "HTTPS://u:p@SAME.example" } do
      local lack = quota.of({ url = url }):take(busy)
      assert.equal("not sent again: the quota of retries for same.example is used up", lack)
    end
    for _, other in ipairs { { url = "http://same.example/a" }, { url = "https://same.example:444/a" },
      { url = "https://same.example/a", unix_socket = "/run/x" }, { url = "https://other.example" } } do
      assert.is_nil(quota.of(other):take(busy))
    end
  end)

  it("ends the retries of a policy, which counts what it may not retry for nothing", function()
    local one = new()
    local standard = assert(retry.read "standard")
    assert.is_nil(retry.begin(standard, one):next_delay { type = "NotFound", status = 404 })
    for _ = 1, 50 do
      local retrying = retry.begin(standard, one)
      assert.is_number(retrying:next_delay(busy))
      assert.is_number(retrying:next_delay(busy))
      assert.is_nil(retrying:next_delay(busy)) -- the third is the policy's
    end
    assert.is_nil(retry.begin(standard, one):next_delay(busy))
    assert.is_number(retry.begin(standard):next_delay(busy))
  end)

  it("is that of the preset standard, and of its changes", function()
    for given, expected in pairs { standard = true, botocore = false, ["aws-js"] = false, ["aws-java"] = false, none = false } do
      assert.equal(expected, assert(retry.read(given)).has_quota or false, given)
      assert.equal(expected, assert(retry.read { preset = given, retries = 9 }).has_quota or false, given)
    end
  end)

  ---Sends a request in a task; returns how often it went over the wire.
  ---@param status integer of each answer
  local function send(url, status)
    local count = 0
    local function exchange()
      count = count + 1
      if status ~= 200 then error({ type = "ServiceUnavailable", status = status }, 0) end
      return "an answer"
    end
    local given = assert(policy.read { retry = { retries = 1000, customBackoff = function() return 0 end } })
    core.task.start(function() policy.send(exchange, { method = "GET", url = url }, given) end, function() end)
    while core.task.count() > 0 do core.loop.turn() end
    return count
  end

  it("bounds the retries of requests, and is filled by their successes", function()
    assert.equal(101, send("http://fleet.example/a", 503))
    assert.equal(1, send("http://fleet.example/b", 503)) -- every request is sent once
    assert.equal(101, send("http://fleet2.example/b", 503))
    for _ = 1, 5 do assert.equal(1, send("http://fleet.example/c", 200)) end
    assert.equal(2, send("http://fleet.example/d", 503))
  end)
end)
