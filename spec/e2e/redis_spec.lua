local redis = require "bide.redis"
local Server = require "spec.support.server"
local leftovers = require "spec.support.leftovers"

describe("bide.redis, with a socket", function()
  local server

  Server.close_after_each()
  after_each(function() assert.is_nil(leftovers.find()) end)

  local function ask(answer, ...)
    server = Server.start(nil, { raw = function(peer, bytes)
      peer:write(type(answer) == "function" and answer(bytes) or answer)
    end })
    return redis { host = "127.0.0.1", port = server.port, command = { ... } }
  end

  local function failure_of(answer)
    local ok, failure = pcall(ask, answer, "PING")
    assert.is_false(ok)
    return failure
  end

  it("sends words of any bytes", function()
    local sent
    ask(function(bytes) sent = bytes return "+OK\r\n" end, "SET", "a b", "\r\n\0")
    assert.equal("*3\r\n$3\r\nSET\r\n$3\r\na b\r\n$3\r\n\r\n\0\r\n", sent)
  end)

  it("sends a command, and then the others together, over one connection, and gives a list of answers", function()
    local sent = {}
    local function answer(bytes)
      sent[#sent + 1] = bytes
      return #sent == 1 and "+OK\r\n" or "$-1\r\n:1\r\n"
    end
    assert.same({ [1] = "OK", [3] = 1 }, ask(answer, { "SELECT", "3" }, { "GET", "a" }, { "EXISTS", "b" }))
    assert.same({ "*2\r\n$6\r\nSELECT\r\n$1\r\n3\r\n",
      "*2\r\n$3\r\nGET\r\n$1\r\na\r\n*2\r\n$6\r\nEXISTS\r\n$1\r\nb\r\n" }, sent)
  end)

  for _, case in ipairs {
    { "+PONG\r\n", "PONG" }, { ":-3\r\n", -3 }, { "$5\r\na\r\n\0b\r\n", "a\r\n\0b" }, { "$0\r\n\r\n", "" },
    { "$-1\r\n" }, { "*-1\r\n" }, { "*0\r\n", {} }, { "*3\r\n:1\r\n*1\r\n+a\r\n$1\r\nb\r\n", { 1, { "a" }, "b" } },
  } do
    it(("reads %q"):format(case[1]), function() assert.same(case[2], ask(case[1], "X")) end)
  end

  it("raises what Redis answers with an error", function()
    assert.same({ type = "WRONGTYPE", message = "WRONGTYPE Operation against" }, failure_of "-WRONGTYPE Operation against\r\n")
    assert.equal("ERR", failure_of("-unknown\r\n").type)
    assert.equal("ERR", failure_of("*2\r\n:1\r\n-ERR x\r\n").type)
  end)

  for _, answer in ipairs { "HTTP/1.1 400\r\n", "\r\n", ":x\r\n", ":\r\n", "$1.5\r\n", "$99999999\r\n", "*99999999\r\n",
    ("*1\r\n"):rep(99), "$9999999999999999999999\r\n" } do
    it(("refuses %q"):format(answer:sub(1, 30)), function() assert.equal("InvalidAnswer", failure_of(answer).type) end)
  end

  it("refuses options that it does not know or that miss, by name", function()
    for mistake, options in pairs {
      ['comand: unknown option, did you mean "command"%?'] = { comand = { "PING" } },
      ["command: expected a list of words, one at least, found nothing"] = { host = "x" },
      ["host: expected a string, found nothing"] = { command = { "PING" } },
      ["command: expected a list of words, one at least, found a list"] = { host = "x", command = { { "PING" }, {} } },
      ["command: expected a list of words, one at least, found an? %a+"] = { host = "x", command = { 3 } },
    } do
      local ok, text = pcall(function() local done = redis(options) return done end)
      assert.is_false(ok)
      assert.matches("redis_spec.lua:%d+: bide.redis: .*" .. mistake, text)
    end
  end)
end)
