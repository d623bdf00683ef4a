---bide.retry had no growth factor, and a changed strategy began at another place in each preset: exponential pauses of 10 ms
---began with 10 ms after "standard" and with 20 ms after "aws-js".

local retry = require "bide.probe.asking.retry"

local failure = { type = "ServiceUnavailable", status = 503 }

---The pauses of a policy in milliseconds.
local function pauses(policy, of)
  local retrying, list = retry.begin(assert(retry.read(policy))), {}
  for _ = 1, policy.retries do list[#list + 1] = retrying:next_delay(of or failure) end
  return list
end

describe("the growth factor of retries", function()
  for _, preset in ipairs { "standard", "botocore", "aws-java", "aws-js" } do
    it("gives botocore's base * growth_factor ^ (attempts - 1), whatever the preset: " .. preset, function()
      local function with(factor, more)
        local policy = { preset = preset, strategy = "exponential", base = 0.01, retries = 5, growthFactor = factor }
        for name, value in pairs(more or {}) do policy[name] = value end
        return pauses(policy)
      end
      assert.same({ 10, 20, 40, 80, 160 }, with(2))
      assert.same({ 10, 30, 90, 270, 810 }, with(3))
      assert.same({ 10, 15, 23, 34, 51 }, with(1.5)) -- 10, 15, 22.5, 33.75, 50.625
      assert.same({ 10, 10, 10, 10, 10 }, with(1))
      assert.same({ 10, 100, 500, 500, 500 }, with(10, { cap = 0.5 }))
    end)

    it("bounds the pauses of its own strategy: " .. preset, function()
      local highest = { 0, 0, 0 }
      for _ = 1, 300 do
        for position, pause in ipairs(pauses { preset = preset, base = 0.1, retries = 3, growthFactor = 5 }) do
          highest[position] = math.max(highest[position], pause)
        end
      end
      for position, bound in ipairs { 100, 500, 2500 } do
        assert.is_true(highest[position] <= bound and highest[position] > bound * 0.8, highest[position] .. " of " .. bound)
      end
    end)
  end

  it("holds for throttling, which has a base of its own", function()
    for _ = 1, 50 do
      local list = pauses({ preset = "aws-java", retries = 3, growthFactor = 3 }, { type = "Throttling", status = 400 })
      for position, bound in ipairs { 500, 1500, 4500 } do
        assert.is_true(list[position] <= bound and list[position] >= bound // 2)
      end
    end
  end)

  it("overflows at no factor", function()
    assert.same({ 1, 20000, 20000 }, pauses { strategy = "exponential", base = 0.001, retries = 3, growthFactor = 1e300 })
    local policy = { preset = "botocore", strategy = "exponential", base = 1, retries = 2000, growthFactor = 1.9 }
    local list = pauses(policy)
    assert.equal(2000, #list)
    assert.equal(10 ^ 12 // 1 | 0, list[2000])
  end)

  it("leaves the presets as they are, and strategies without it", function()
    assert.same({ 20, 40, 80 }, pauses { preset = "aws-js", strategy = "exponential", base = 0.01, retries = 3 })
    assert.same({ 10, 20, 40 }, pauses { preset = "standard", strategy = "exponential", base = 0.01, retries = 3 })
  end)

  it("is a number of at least 1, of a strategy that has one", function()
    for _, bad in ipairs { 0, 0.5, -2, math.huge, 0 / 0, "2", true } do
      local read, mistake = retry.read { growthFactor = bad }
      assert.is_nil(read)
      assert.matches("growthFactor: expected a number of at least 1, found", mistake, 1, true)
    end
    local read, mistake = retry.read { strategy = "decorrelatedJitter", growthFactor = 2 }
    assert.is_nil(read)
    assert.matches("growthFactor: decorrelatedJitter has none", mistake, 1, true)
  end)
end)
