---Each text of an answer of Redis was bounded, and each list, but not what they add up to: a server that sent list in list,
---or a list of long texts, filled the memory until the attempt ended.

local conversation = require "spec.support.conversation"
local redis = require "bide.redis"

local text = ("$60000\r\n%s\r\n"):format(("x"):rep(60000))

describe("an answer of Redis", function()
  for name, answer in pairs {
    ["a list of long texts"] = "*65536\r\n" .. text:rep(200),
    ["long texts in lists"] = ("*200\r\n" .. text:rep(40)):rep(5),
    ["lists of numbers"] = "*65536\r\n" .. ("*65536\r\n" .. (":1\r\n"):rep(65536)):rep(2),
  } do
    it("is bounded as a whole: " .. name, function()
      local ok, failure = conversation.hold(redis, { answer, "" }, { command = { "LRANGE", "jobs", "0", "-1" } })
      assert.is_false(ok)
      assert.same({ type = "InvalidAnswer", message = "the answer is too long" }, failure)
    end)
  end

  it("may have many members", function()
    local ok, list = conversation.hold(redis, { "*20000\r\n" .. (":1\r\n"):rep(20000), "" }, { command = { "KEYS", "*" } })
    assert.same({ true, 20000 }, { ok, ok and #list })
  end)
end)
