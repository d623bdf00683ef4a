---The preset aws-java had no policy for DynamoDB, which the SDK for Java has beside its default: a request to DynamoDB was
---tried four times.

local retry = require "bide.probe.asking.retry"
local send_policy = require "bide.probe.http.policy"

local target = { "Content-Type", "x", "X-Amz-Target", "DynamoDB_20120810.DescribeTable" }

---Returns how many times a request is sent that fails each time.
local function tries(policy, url, headers)
  local sent = 0
  if type(policy) == "string" then policy = { preset = policy } end
  policy.customBackoff = function() return 0 end
  pcall(send_policy.send, function()
    sent = sent + 1
    error({ type = "RequestTimeout", status = 503 }, 0)
  end, { method = "POST", url = url, headers = headers }, assert(send_policy.read { retry = policy }))
  return sent
end

describe("a request to DynamoDB", function()
  for _, preset in ipairs { "aws-java", "aws-js" } do
    it("is tried eleven times by " .. preset .. ", and others four times", function()
      assert.equal(11, tries(preset, "https://dynamodb.eu-west-1.amazonaws.com/"))
      assert.equal(11, tries(preset, "http://localhost:8000/", target))
      assert.equal(4, tries(preset, "http://localhost:8000/"))
      assert.equal(4, tries(preset, "https://rds.eu-west-1.amazonaws.com/"))
    end)

    it("is tried as often as a policy says that changes " .. preset, function()
      assert.equal(2, tries({ preset = preset, retries = 1 }, "http://localhost:8000/", target))
      assert.equal(1, tries({ preset = preset, retries = 0 }, "http://localhost:8000/", target))
      assert.equal(11, tries({ preset = preset, cap = 5 }, "http://localhost:8000/", target))
      assert.equal(1, tries({ preset = preset, retryable = function() return false end }, "http://localhost:8000/", target))
    end)
  end

  it("has the pauses of the SDK for Java: 25 ms at first, for throttling 500 ms", function()
    ---The longest pause before each of the first retries.
    local function longest(policy, failure)
      local most = { 0, 0, 0 }
      for _ = 1, 400 do
        local retrying = retry.begin(policy)
        for position = 1, 3 do most[position] = math.max(most[position], retrying:next_delay(failure)) end
      end
      return most
    end
    local function assert_bounds(bounds, policy, failure)
      for position, found in ipairs(longest(policy, failure)) do
        assert.is_true(found <= bounds[position] and found > bounds[position] * 0.8, ("%d: %d"):format(position, found))
      end
    end
    local java = assert(retry.read "aws-java")
    local failure, throttling = { type = "X", status = 503 }, { type = "Throttling", status = 400 }
    assert_bounds({ 25, 50, 100 }, java.dynamodb, failure)
    assert_bounds({ 500, 1000, 2000 }, java.dynamodb, throttling)
    assert_bounds({ 100, 200, 400 }, java, failure)
    assert_bounds({ 40, 80, 160 }, assert(retry.read { preset = "aws-java", base = 0.04 }).dynamodb, failure)
    assert_bounds({ 25, 75, 225 }, assert(retry.read { preset = "aws-java", growthFactor = 3 }).dynamodb, failure)
  end)

  it("has the times of the preset for its connection", function()
    local seen
    send_policy.send(function(request)
      seen = request
      return {}
    end, { method = "POST", url = "http://localhost:8000/", headers = target },
      assert(send_policy.read { retry = "aws-java" }))
    assert.same({ 10000, 50000 }, { seen.connect_timeout, seen.idle_timeout })
  end)
end)
