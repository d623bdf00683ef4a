local uv = require "luv"
local imap = require "bide.imap"
local Server = require "spec.support.server"
local failure_of = require "spec.support.failure_of"
local leftovers = require "spec.support.leftovers"

describe("bide.imap, with a socket", function()
  local server

  after_each(function()
    if server then server:close() end
    server = nil
    uv.run "nowait"
    assert.is_nil(leftovers.find())
  end)

  ---Greets, and answers each command with the next of these; returns the options for it, and what it was sent.
  local function serve(greeting, ...)
    local replies, sent = { ... }, {}
    if server then server:close() end
    server = Server.start(nil, { connected = function(peer) peer:write(greeting) end, raw = function(peer, bytes)
      sent[#sent + 1] = bytes
      local reply = table.remove(replies, 1)
      if reply then peer:write(reply) end
    end })
    return { host = "127.0.0.1", port = server.port, timeout = 5 }, sent
  end

  it("tells what the server can do", function()
    local options, sent = serve("* OK ready when you are\r\n", "* CAPABILITY IMAP4rev1 IDLE\r\n* OK more\r\na1 OK done\r\n")
    assert.same({ greeting = "ready when you are", capabilities = { "IMAP4rev1", "IDLE" } }, imap(options))
    assert.equal("a1 CAPABILITY\r\n", sent[1])
    assert.same({ greeting = "", capabilities = {} }, imap((serve("* PREAUTH\r\n", "a1 OK\r\n"))))
  end)

  it("raises what the server refuses, by its word", function()
    assert.same({ type = "BYE", message = "starting" }, failure_of(imap, (serve "* BYE starting\r\n")))
    assert.equal("BYE", failure_of(imap, (serve("* OK\r\n", "* BYE enough\r\n"))).type)
    assert.same({ type = "BAD", message = "what?" }, failure_of(imap, (serve("* OK\r\n", "a1 BAD what?\r\n"))))
    assert.equal("NO", failure_of(imap, (serve("* OK\r\n", "a1 NO not now\r\n"))).type)
  end)

  it("refuses other protocols, and answers that do not end", function()
    for _, bytes in ipairs { "SSH-2.0-OpenSSH_9.2\r\n", "220 mail\r\n", "* ok\r\n", "* \r\n", "\0\r\n" } do
      local failure = failure_of(imap, (serve(bytes)))
      assert.equal("InvalidAnswer", failure.type)
      assert.matches("this is not the protocol of IMAP", failure.message)
    end
    assert.equal("InvalidAnswer", failure_of(imap, (serve("* OK\r\n", "a2 OK\r\n"))).type)
    assert.equal("InvalidAnswer", failure_of(imap, (serve("* OK\r\n", ("* OK\r\n"):rep(128)))).type)
  end)

  it("reads any bytes without a script error", function()
    local alphabet = { "*", "a1", " ", "OK", "\r\n", "\n", "* OK x\r\n", "a1 OK\r\n", "* CAPABILITY STARTTLS\r\n", "\0", "\255",
      "BYE" }
    for seed = 1, 300 do
      math.randomseed(seed)
      local bytes = {}
      for position = 1, math.random(12) do bytes[position] = alphabet[math.random(#alphabet)] end
      local options = serve(table.concat(bytes))
      options.timeout, options.security = 0.01, "starttls"
      local failure = failure_of(imap, options)
      assert.is_string(failure.message, "seed " .. seed)
    end
  end)

  it("goes on without TLS only where it may", function()
    local options, sent = serve("* OK\r\n", "* CAPABILITY IMAP4rev1\r\na1 OK\r\n")
    options.security = "starttls"
    local failure = failure_of(imap, options)
    assert.same({ "TlsFailure", "the server does not offer STARTTLS" }, { failure.type, failure.message })
    assert.same({ "a1 CAPABILITY\r\n" }, sent)
    options = serve("* OK\r\n", "* CAPABILITY STARTTLS\r\na1 OK\r\n", "a2 OK\r\n* OK injected\r\n")
    options.tls = {}
    assert.equal("UnexpectedAnswer", failure_of(imap, options).type)
  end)

  it("is used as it says", function()
    assert.error_matches(function() imap { host = "mail", security = "ssl" } end,
      'bide.imap: security: expected "none", "starttls" or "tls", found "ssl"')
    assert.error_matches(function() imap { host = "mail", tls = { vrify = true } } end, "bide.imap: tls.vrify: unknown option")
  end)
end)
