---Answers that could not be read, or that answered something else, counted: a text of Redis with a wrong length, a message of
---NATS to another subscriber, of another domain or with an error, and a queue of AMQP that was another one, or on another
---channel.

local amqp = require "bide.amqp"
local conversation = require "spec.support.conversation"
local nats = require "bide.nats"
local redis = require "bide.redis"
local values = require "bide.probe.amqp.values"

describe("a text of Redis", function()
  local function type_of(answer)
    return conversation.failure(redis, { answer }, { command = { "GET", "jobs" } }).type
  end

  it("is as long as it says", function()
    local _, value = conversation.hold(redis, { "$4\r\ndone\r\n" }, { command = { "GET", "jobs" } })
    assert.equal("done", value)
    for _, answer in ipairs { "$3\r\ndone\r\n", "$4\r\ndone1\r\n", "$4\r\ndone\r\r", "$0\r\ndone\r\n" } do
      assert.equal("InvalidAnswer", type_of(answer))
    end
  end)
end)

describe("JetStream's answer", function()
  local FORM <const> = '{"type":"io.nats.jetstream.api.v1.account_info_response","streams":3%s}'
  local body

  before_each(function() body = FORM:format "" end)

  ---@param form string of the line: SUBJECT stands for the inbox, LENGTH for the length of the body
  ---@param ending? string
  ---@param domain? string
  local function ask(form, ending, domain)
    local function answer(request)
      local line = form:gsub("SUBJECT", request:match "SUB (%S+) 1"):gsub("LENGTH", #body)
      return line .. "\r\n" .. body .. (ending or "\r\n")
    end
    return conversation.hold(nats, { greeting = 'INFO {"jetstream":true}\r\n', "PONG\r\n", answer, "" },
      { streams = true, domain = domain })
  end

  it("is of the domain of the question", function()
    assert.is_true((ask("MSG SUBJECT 1 LENGTH", nil, "hub")))
    body = FORM:format ',"domain":"hub"'
    assert.is_true((ask("MSG SUBJECT 1 LENGTH", nil, "hub")))
    assert.is_true((ask "MSG SUBJECT 1 LENGTH"))
    assert.equal("InvalidAnswer", select(2, ask("MSG SUBJECT 1 LENGTH", nil, "leaf")).type)
  end)

  it("is no yes with an error beside it", function()
    for _, failure in ipairs { '{"code":503}', '"no quorum"', "503", "true" } do
      body = FORM:format(',"error":' .. failure)
      assert.equal("JetStreamUnavailable", select(2, ask "MSG SUBJECT 1 LENGTH").type)
    end
    body = FORM:format ',"error":null'
    assert.is_true((ask "MSG SUBJECT 1 LENGTH"))
  end)

  it("goes to the inbox of the question, and is as long as it says", function()
    local ok, result = ask "MSG SUBJECT 1 LENGTH"
    assert.is_true(ok, result.message)
    assert.equal(3, result.account.streams)
    assert.is_true((ask "MSG SUBJECT 1 $JS.API.INFO LENGTH"))
    for _, form in ipairs { "MSG _INBOX.other 1 LENGTH", "MSG SUBJECT 2 LENGTH", "MSG LENGTH", "+OK\r\nMSG SUBJECT 1 LENGTH" } do
      local found, failure = ask(form)
      assert.is_false(found, form)
      assert.equal("InvalidAnswer", failure.type, form)
    end
    assert.equal("InvalidAnswer", select(2, ask("MSG SUBJECT 1 LENGTH", "xx")).type)
  end)
end)

describe("a broker's answer about a queue", function()
  local function method(channel, number, arguments)
    return string.pack(">BI2s4B", 1, channel, string.pack(">I4", number) .. arguments, 0xCE)
  end
  local start = method(0, 0x000A000A, "\0\9" .. values.table {} .. string.pack(">s4s4", "PLAIN", "en_US"))
  local tune, open_ok = method(0, 0x000A001E, string.pack(">I2I4I2", 2047, 131072, 60)), method(0, 0x000A0029, "\0")
  local channel_open = method(1, 0x0014000B, "\0\0\0\0")

  local function type_of(answer, opened)
    local ok, failure = conversation.hold(amqp, { start, tune, open_ok, opened or channel_open, answer },
      { user = "app", queue = "jobs" })
    return ok and "found" or failure.type
  end

  local function found(channel, name, more)
    return method(channel, 0x0032000B, string.pack(">s1I4I4", name, 0, 1) .. (more or ""))
  end

  ---@param by integer the method that the broker could not carry out
  local function refusal(channel, number, name, by)
    local text = ("NOT_FOUND - no queue '%s' in vhost '/'"):format(name)
    return method(channel, number, string.pack(">I2s1I4", 404, text, by))
  end

  it("names it, on its channel", function()
    assert.equal("found", type_of(found(1, "jobs")))
    assert.equal("InvalidAnswer", type_of(found(1, "other")))
    assert.equal("InvalidAnswer", type_of(found(2, "jobs")))
    assert.equal("InvalidAnswer", type_of(found(1, "jobs", "\0")))
    assert.equal("InvalidAnswer", type_of(found(1, "jobs"), method(3, 0x0014000B, "\0\0\0\0")))
  end)

  it("says that there is none", function()
    assert.equal("NotFound", type_of(refusal(1, 0x00140028, "jobs", 0x0032000A)))
    assert.equal("QueueUnavailable", type_of(refusal(1, 0x00140028, "other", 0x0032000A)))
    assert.equal("QueueUnavailable", type_of(refusal(1, 0x00140028, "jobs", 0x0032001E)))
    assert.equal("QueueUnavailable", type_of(refusal(0, 0x000A0032, "jobs", 0x0032000A)))
    assert.equal("InvalidAnswer", type_of(refusal(5, 0x00140028, "jobs", 0x0032000A)))
  end)
end)
