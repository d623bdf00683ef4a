---Lines that came with the greeting were taken for the answers to commands which had not been sent yet, so a program that says
---some lines by itself was a mail server, or a NATS server.

local conversation = require "spec.support.conversation"
local nats = require "bide.nats"
local smtp = require "bide.smtp"

---Fails with the error of a conversation in which the server says some lines before it is asked.
local function assert_refused(ask, lines)
  local failure = conversation.failure(ask, { greeting = lines, "" })
  assert.equal("UnexpectedAnswer", failure.type)
  assert.matches("expected nothing before", failure.message, 1, true)
end

describe("lines that came before the question", function()
  it("are no answer to EHLO", function()
    assert_refused(smtp, "220 mail ESMTP\r\n250 mail\r\n")
    assert_refused(smtp, "220-mail\r\n220 ESMTP\r\n250-mail\r\n250 STARTTLS\r\n")
  end)

  it("are no answer to PING of NATS", function()
    assert_refused(nats, 'INFO {"server_id":"a"}\r\nPONG\r\n')
  end)

  it("may refuse the client", function()
    local greeting = "220 mail ESMTP\r\n421 shutting down\r\n"
    assert.equal("421", conversation.failure(smtp, { greeting = greeting, "" }).type)
    greeting = "INFO {}\r\n-ERR 'maximum connections exceeded'\r\n"
    assert.equal("ServerError", conversation.failure(nats, { greeting = greeting, "" }).type)
  end)

  it("do not end a greeting of several lines", function()
    local _, found = conversation.hold(smtp, { greeting = "220-mail\r\n220 ESMTP\r\n", "250-mail\r\n250 SIZE\r\n" })
    assert.same({ "SIZE" }, found.extensions)
  end)
end)
