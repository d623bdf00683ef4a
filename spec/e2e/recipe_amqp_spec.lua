local amqp = require "bide.amqp"
local conversation = require "spec.support.conversation"
local values = require "bide.probe.amqp.values"

---A frame with a method.
local function method(channel, number, arguments)
  return string.pack(">BI2s4B", 1, channel, string.pack(">I4", number) .. (arguments or ""), 0xCE)
end

local about = values.table { { "product", "Broker" }, { "version", "3.1" },
  { "capabilities", { { "publisher_confirms", true } } } }

local function start_method(mechanisms)
  return method(0, 0x000A000A, "\0\9" .. about .. string.pack(">s4s4", mechanisms or "AMQPLAIN PLAIN", "en_US"))
end

local tune, open_ok = method(0, 0x000A001E, string.pack(">I2I4I2", 2047, 131072, 60)), method(0, 0x000A0029, "\0")

local function close(code, text) return method(0, 0x000A0032, string.pack(">I2s1I2I2", code, text, 0, 0)) end

describe("bide.amqp", function()
  it("opens a virtual host, and asks for a queue", function()
    local ok, result, requests = conversation.hold(amqp, { start_method(), tune, open_ok, method(1, 0x0014000B, "\0\0\0\0"),
      method(1, 0x0032000B, string.pack(">s1I4I4", "jobs", 7, 2)) },
      { user = "app", password = "pw", vhost = "shop", queue = "jobs" })
    assert.is_true(ok, result.message)
    assert.same({ answer = "ready", product = "Broker", version = "3.1", messages = 7, consumers = 2 }, result)
    assert.equal("AMQP\0\0\9\1", requests[1]:sub(1, 8))
  end)

  it("sends what the broker asks for", function()
    local ok, result, requests = conversation.hold(amqp, { start_method(), tune, open_ok },
      { user = "app", password = "pw", vhost = "shop" })
    assert.is_true(ok, result.message)
    assert.matches("\5PLAIN\0\0\0\7\0app\0pw\5en_US", requests[2], 1, true)
    assert.matches("\0\10\0\31\7\xFF\0\2\0\0\0\0\xCE", table.concat(requests), 1, true)
    assert.matches("\0\10\0\40\4shop\0\0\xCE", table.concat(requests), 1, true)
  end)

  it("takes a broker that refuses guest for ready, and nobody else", function()
    local refusal = close(403, "ACCESS_REFUSED - login refused")
    local _, result = conversation.hold(amqp, { start_method(), refusal })
    assert.same({ answer = "credentialsWanted", product = "Broker", version = "3.1" }, result)
    for _, options in ipairs { { user = "app" }, { queue = "jobs" }, { vhost = "shop" } } do
      local _, failure = conversation.hold(amqp, { start_method(), refusal }, options)
      assert.same({ type = "AccessRefused", message = "ACCESS_REFUSED - login refused", code = 403 }, failure)
    end
  end)

  it("tells a queue that does not exist from one that cannot be asked", function()
    local function ask(code, text)
      local refusal = method(1, 0x00140028, string.pack(">I2s1I2I2", code, text, 50, 10))
      local bytes = { start_method(), tune, open_ok, method(1, 0x0014000B, "\0\0\0\0"), refusal }
      local _, failure = conversation.hold(amqp, bytes, { user = "app", queue = "jobs" })
      return failure.type
    end
    local words = {
      ["NOT_FOUND - no queue 'jobs' in vhost '/'"] = "NotFound",
      ["NOT_FOUND - home node 'b@localhost' of durable queue 'jobs' in vhost '/' is down or inaccessible"] = "QueueUnavailable",
      ["NOT_FOUND - failed to perform operation on queue 'jobs' in vhost '/' due to timeout"] = "QueueUnavailable",
      ["NOT_FOUND - queue 'jobs' in vhost '/' process is stopped by supervisor"] = "QueueUnavailable",
      ["NOT_FOUND - queue 'no queue 'jobs'' in vhost '/' has crashed and failed to restart"] = "QueueUnavailable",
      ["NOT_FOUND - no previously declared queue"] = "QueueUnavailable",
      ["NOT_FOUND - no exchange 'jobs' in vhost '/'"] = "QueueUnavailable",
      ["no route"] = "QueueUnavailable",
    }
    for text, type_of_error in pairs(words) do assert.equal(type_of_error, ask(404, text), text) end
    assert.equal("ResourceLocked", ask(405, "RESOURCE_LOCKED - cannot obtain exclusive access to locked queue 'jobs'"))
  end)

  it("raises what the broker refuses", function()
    for code, type_of_error in pairs { [530] = "NotAllowed", [320] = "ConnectionForced", [541] = "ServerError" } do
      local _, failure = conversation.hold(amqp, { start_method(), tune, close(code, "no") })
      assert.same({ type = type_of_error, message = "no", code = code }, failure)
    end
    local _, failure = conversation.hold(amqp, { start_method "EXTERNAL" })
    assert.equal("UnknownAuthentication", failure.type)
    _, failure = conversation.hold(amqp, { start_method(), method(0, 0x000A0014, "\0\0\0\0") })
    assert.equal("UnknownAuthentication", failure.type)
  end)

  it("refuses other answers, and survives broken ones", function()
    local deep = {}
    for _ = 1, 30 do deep = { { "a", deep } } end
    local wrong = { "HTTP/1.1 400 Bad Request\r\n\r\n", "AMQP\0\1\0\0", "\1\0\0\xFF\xFF\xFF\xFF", method(0, 0x000A0029, "\0"),
      method(0, 0x000A000A, "\0\9" .. values.table(deep)), method(0, 0x000A000A, "\0\9\xFF\xFF\xFF\xFF"),
      start_method():sub(1, -2) .. "\0" }
    for _, bytes in ipairs(wrong) do
      local ok, failure = conversation.hold(amqp, { bytes })
      assert.is_false(ok)
      assert.is_true(failure.type == "InvalidAnswer" or failure.type == "UnexpectedAnswer", failure.type)
    end
    conversation.assert_survives(amqp, { start_method(), tune, open_ok })
  end)
end)
