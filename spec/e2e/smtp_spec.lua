local uv = require "luv"
local conversation = require "spec.support.conversation"
local leftovers = require "spec.support.leftovers"
local smtp = require "bide.smtp"

describe("bide.smtp, with a socket", function()
  after_each(function()
    uv.run "nowait"
    assert.is_nil(leftovers.find())
  end)

  ---Returns what it raises if the server greets, and then answers.
  local function failure_of(answers, options) return conversation.failure(smtp, answers, options) end

  it("introduces itself, and tells what the server can do", function()
    local _, result, sent = conversation.hold(smtp, { greeting = "220-mail ESMTP\r\n220 at your service\r\n",
      "250-mail greets you\r\n250-SIZE 1000\r\n250 HELP\r\n" })
    assert.same({ greeting = "mail ESMTP at your service", extensions = { "SIZE 1000", "HELP" } }, result)
    assert.equal("EHLO localhost\r\n", sent[1])
    _, result, sent = conversation.hold(smtp, { greeting = "220 mail\r\n", "250 mail\r\n" }, { name = "[127.0.0.1]" })
    assert.same({ greeting = "mail", extensions = {} }, result)
    assert.equal("EHLO [127.0.0.1]\r\n", sent[1])
  end)

  it("raises what the server refuses, by its code", function()
    assert.same({ type = "421", message = "too busy now" }, failure_of { greeting = "421-too busy\r\n421 now\r\n" })
    assert.equal("554", failure_of { greeting = "220 mail\r\n", "554 no\r\n" }.type)
  end)

  it("refuses other protocols, and replies that are none", function()
    for _, bytes in ipairs { "SSH-2.0-OpenSSH_9.2\r\n", "220-one\r\n250 two\r\n", "22 x\r\n", "220x\r\n", "2200 x\r\n", "\r\n",
      "\0\0\r\n", ("220-x\r\n"):rep(129) } do
      local failure = failure_of { greeting = bytes }
      assert.equal("InvalidAnswer", failure.type)
      assert.matches("this is not the protocol of SMTP", failure.message)
    end
    assert.equal("UnexpectedAnswer", failure_of { greeting = ("2"):rep(70000) }.type)
  end)

  it("reads any bytes without a script error", function()
    conversation.assert_reads_any(smtp, { "2", "5", "0", "-", " ", "\r\n", "\n", "220 x\r\n", "250-x\r\n", "250 STARTTLS\r\n",
      "\0", "\255", "E" }, { timeout = 0.01, security = "starttls" })
  end)

  it("goes on without TLS only where it may", function()
    local _, failure, sent = conversation.hold(smtp,
      { greeting = "220 mail\r\n", "250-mail\r\n250 HELP\r\n", "220 go\r\n" }, { security = "starttls" })
    assert.same({ "TlsFailure", "the server does not offer STARTTLS" }, { failure.type, failure.message })
    assert.same({ "EHLO localhost\r\n" }, sent)
    local function with_tls(offer, answer)
      return failure_of({ greeting = "220 mail\r\n", "250-mail\r\n250 " .. offer .. "\r\n", answer }, { tls = {} }).type
    end
    assert.equal("454", with_tls("starttls", "454 not now\r\n"))
    assert.equal("UnexpectedAnswer", with_tls("STARTTLS", "220 go\r\n250 injected\r\n"))
  end)

  it("is used as it says", function()
    assert.error_matches(function() smtp { host = "mail", security = "ssl" } end,
      'bide.smtp: security: expected "none", "starttls" or "tls", found "ssl"')
    assert.error_matches(function() smtp { host = "mail", name = "a\r\nb" } end,
      "bide.smtp: name: expected a name without blanks")
    assert.error_matches(function() smtp { host = "mail", tls = { vrify = true } } end, "bide.smtp: tls.vrify: unknown option")
  end)
end)
