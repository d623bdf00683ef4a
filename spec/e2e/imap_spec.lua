local uv = require "luv"
local conversation = require "spec.support.conversation"
local imap = require "bide.imap"
local leftovers = require "spec.support.leftovers"

describe("bide.imap, with a socket", function()
  after_each(function()
    uv.run "nowait"
    assert.is_nil(leftovers.find())
  end)

  ---Returns an answer in which each "TAG" is that of the request.
  local function tagged(answer)
    return function(request) return (answer:gsub("TAG", (request:match "^%S+"))) end
  end

  ---Returns what it raises if the server greets, and then answers.
  local function failure_of(answers, options) return conversation.failure(imap, answers, options) end

  it("tells what the server can do", function()
    local _, result, sent = conversation.hold(imap, { greeting = "* OK ready when you are\r\n",
      tagged "* CAPABILITY IMAP4rev1 IDLE\r\n* OK more\r\nTAG OK done\r\n" })
    assert.same({ greeting = "ready when you are", capabilities = { "IMAP4rev1", "IDLE" } }, result)
    assert.matches("^[%x-]+ CAPABILITY\r\n$", sent[1])
    _, result = conversation.hold(imap, { greeting = "* PREAUTH\r\n", tagged "TAG OK\r\n" })
    assert.same({ greeting = "", capabilities = {} }, result)
  end)

  it("raises what the server refuses, by its word", function()
    assert.same({ type = "BYE", message = "starting" }, failure_of { greeting = "* BYE starting\r\n" })
    assert.equal("BYE", failure_of { greeting = "* OK\r\n", "* BYE enough\r\n" }.type)
    assert.same({ type = "BAD", message = "what?" }, failure_of { greeting = "* OK\r\n", tagged "TAG BAD what?\r\n" })
    assert.equal("NO", failure_of { greeting = "* OK\r\n", tagged "TAG NO not now\r\n" }.type)
  end)

  it("refuses other protocols, and answers that do not end", function()
    for _, bytes in ipairs { "SSH-2.0-OpenSSH_9.2\r\n", "220 mail\r\n", "* ok\r\n", "* \r\n", "\0\r\n" } do
      local failure = failure_of { greeting = bytes }
      assert.equal("InvalidAnswer", failure.type)
      assert.matches("this is not the protocol of IMAP", failure.message)
    end
    assert.equal("InvalidAnswer", failure_of { greeting = "* OK\r\n", "a2 OK\r\n" }.type)
    assert.equal("InvalidAnswer", failure_of { greeting = "* OK\r\n", ("* OK\r\n"):rep(128) }.type)
  end)

  it("reads any bytes without a script error", function()
    conversation.assert_reads_any(imap, { "*", "a1", " ", "OK", "\r\n", "\n", "* OK x\r\n", "a1 OK\r\n",
      "* CAPABILITY STARTTLS\r\n", "\0", "\255", "BYE" }, { timeout = 0.01, security = "starttls" })
  end)

  it("goes on without TLS only where it may", function()
    local _, failure, sent = conversation.hold(imap,
      { greeting = "* OK\r\n", tagged "* CAPABILITY IMAP4rev1\r\nTAG OK\r\n", "" }, { security = "starttls" })
    assert.same({ "TlsFailure", "the server does not offer STARTTLS" }, { failure.type, failure.message })
    assert.equal(1, #sent)
    local injected = { greeting = "* OK\r\n", tagged "* CAPABILITY STARTTLS\r\nTAG OK\r\n", tagged "TAG OK\r\n* OK injected\r\n" }
    assert.equal("UnexpectedAnswer", failure_of(injected, { tls = {} }).type)
  end)

  it("is used as it says", function()
    assert.error_matches(function() imap { host = "mail", security = "ssl" } end,
      'bide.imap: security: expected "none", "starttls" or "tls", found "ssl"')
    assert.error_matches(function() imap { host = "mail", tls = { vrify = true } } end, "bide.imap: tls.vrify: unknown option")
  end)
end)
