local core = require "bide.core"
local leftovers = require "spec.support.leftovers"
local policy = require "bide.probe.http.policy"
local rate = require "bide.probe.http.rate"

describe("the policy of a request", function()
  after_each(function() assert.is_nil(leftovers.find()) end)

  ---What an exchange gives; it can be shared.
  local function new_answer(status)
    local answer = { status = status, headers = {} }
    function answer.copy() return new_answer(status) end
    function answer.operation_error() return status >= 300 and { type = "X", status = status } or nil end
    return answer
  end

  ---Sends a request in a task whose operation says something; returns how often it went over the wire.
  local function send(operation, own, method, url)
    local count = 0
    local function exchange()
      count = count + 1
      error({ type = "ServiceUnavailable" }, 0)
    end
    local task = core.task.start(function()
      policy.send(exchange, { method = method or "GET", url = url or "http://h/" }, own and policy.read(own))
    end, function() end)
    if operation then policy.set(task, assert(policy.read(operation))) end
    while core.task.count() > 0 do core.loop.turn() end
    return count
  end

  local thrice = { retry = { retries = 2, customBackoff = function() return 0 end } }
  local twice = { retry = { retries = 1, customBackoff = function() return 0 end } }

  it("is the operation's, unless the request says otherwise", function()
    assert.equal(1, send())
    assert.equal(3, send(thrice))
    assert.equal(2, send(nil, twice))
    assert.equal(2, send(thrice, twice))
    assert.equal(1, send(thrice, { retry = "none" }))
    assert.equal(3, send(thrice, { share = false }))
  end)

  it("shares what is safe where the operation says so, and anything where the request does", function()
    -- operation, request, method, whether two at a time are sent once
    local rows = {
      { nil, nil, "GET", false }, { true, nil, "GET", true }, { true, nil, "HEAD", true }, { true, nil, "POST", false },
      { true, nil, "DELETE", false }, { true, false, "GET", false }, { nil, true, "POST", true }, { false, true, "PUT", true },
    }
    for _, row in ipairs(rows) do
      local count = 0
      local function exchange()
        count = count + 1
        return new_answer(200)
      end
      for _ = 1, 2 do
        local own = row[2] ~= nil and policy.read { share = row[2] } or nil
        local task = core.task.start(function()
          policy.send(exchange, { method = row[3], url = "http://h/" }, own)
        end, function() end)
        if row[1] ~= nil then policy.set(task, policy.read { share = row[1] }) end
      end
      while core.task.count() > 0 or core.loop.timer_count() > 0 do core.loop.turn() end
      assert.equal(row[4] and 1 or 2, count, table.concat({ tostring(row[1]), tostring(row[2]), row[3] }, " "))
    end
  end)

  it("tells the bucket of its host what the answer was", function()
    local url = "http://overloaded.example/"
    local read = policy.read { rate = "1000/s" }
    local function exchange() return new_answer(429) end
    core.task.start(function() policy.send(exchange, { method = "GET", url = url }, read) end, function() end)
    while core.task.count() > 0 do core.loop.turn() end
    assert.equal(1, rate.bucket_of(read.rate, "http://OVERLOADED.example:80/x").overloads)
  end)
end)
