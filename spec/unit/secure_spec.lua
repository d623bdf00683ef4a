---The border of bide.secure: what its functions take, and what an ended session does.

local secure = require "bide.secure"
local Directory = require "spec.support.directory"
local certificates = require "spec.support.certificates"

describe("bide.secure", function()
  local directory = Directory.of_block()
  local ca

  setup(function()
    certificates(directory)
    ca = directory:read "ca.pem"
  end)

  local function new_session(...)
    return assert(secure.session("localhost", "anything", ...))
  end

  it("reads authorities of a text, and refuses what is none", function()
    assert.is_userdata(secure.authorities(ca .. ca))
    assert.is_userdata(secure.authorities(nil, "/nowhere:/nowhere/else"))
    assert.is_userdata(secure.authorities(nil, nil, true))
    local broken = ca .. ca:gsub("\n....", "\n////", 1)
    for _, text in ipairs { "", "x", "-----BEGIN CERTIFICATE-----\n", broken, ca:sub(1, -20) } do
      local authorities, failure = secure.authorities(text)
      assert.is_nil(authorities)
      assert.equal("TlsFailure", failure.kind)
      assert.is_true(#failure.message > 0)
    end
  end)

  it("checks its arguments", function()
    for _, words in ipairs {
      { nil, "anything" }, { "a\0b", "anything" }, { "localhost" }, { "localhost", "nothing" }, { "localhost", "host" },
      { "localhost", "host", new_session() }, { "localhost", "anything", nil, nil, "certificate" },
      { "localhost", "anything", nil, nil, "certificate", "key", "pass\0word" },
    } do
      assert.is_false((pcall(secure.session, table.unpack(words, 1, 7))))
    end
    for _, call in ipairs { "handshake", "feed", "drain", "read", "write", "finish", "problem", "agreement", "certificate",
      "binding", "close" } do
      local session = new_session()
      assert.is_false((pcall(session[call], secure.authorities(ca))))
      assert.is_false((pcall(session[call])))
    end
    assert.is_false((pcall(new_session().write, new_session(), ("x"):rep(16385))))
  end)

  it("refuses what libssl cannot use", function()
    for _, words in ipairs {
      { "localhost", "anything", nil, "\5h2" }, { ("a"):rep(300), "anything" }, { "", "anything" },
      { "localhost", "anything", nil, nil, "no certificate", "no key" }, { "localhost", "anything", nil, nil, ca, "no key" },
    } do
      local session, failure = secure.session(table.unpack(words, 1, 6))
      assert.is_nil(session)
      assert.equal("TlsFailure", failure.kind)
    end
  end)

  it("says nothing of a peer that has said nothing", function()
    local session = new_session()
    assert.is_nil(session:problem())
    assert.is_nil(session:certificate(1))
    assert.is_nil(session:certificate(-1))
    assert.is_nil(session:certificate(math.maxinteger))
    assert.is_nil(session:binding())
    assert.is_string(session:agreement().version)
    session:finish()
    assert.equal("", session:drain())
  end)

  it("begins with a message for the peer, and keeps a bounded amount of what comes", function()
    local session = new_session()
    assert.equal("wants", session:handshake())
    local hello = session:drain()
    assert.equal("\22\3\1", hello:sub(1, 3))
    assert.matches("localhost", hello, 1, true)
    assert.equal("", session:drain())
    local taken, all = 0, ("\23\3\3\255\0"):rep(100000)
    repeat
      local count = session:feed(all)
      taken = taken + count
    until count == 0
    assert.equal(131072, taken)
    assert.is_nil((session:handshake()))
  end)

  it("writes nothing before the handshake", function()
    local session = new_session()
    assert.equal("wants", (session:write "hello"))
    assert.equal("wants", (session:read()))
    assert.not_matches("hello", session:drain())
  end)

  it("ends once, and then raises", function()
    local session = new_session()
    session:close()
    session:close()
    for _, call in ipairs { "handshake", "drain", "read", "finish", "problem", "agreement", "binding" } do
      assert.error_matches(function() session[call](session) end, "the TLS session is closed")
    end
    local same = new_session()
    do
      local scoped <close> = same
      assert.equal("", scoped:drain())
    end
    assert.is_false((pcall(same.drain, same)))
  end)

  it("fails for good once it has failed", function()
    local session = new_session()
    session:handshake()
    session:feed "HTTP/1.1 400 Bad Request\r\n\r\n"
    local state, failure = session:handshake()
    assert.is_nil(state)
    assert.equal("wrong version number", failure.message)
    assert.is_nil((session:write "hello"))
    assert.is_nil((session:read()))
    assert.is_nil((session:handshake()))
    assert.not_matches("hello", session:drain())
  end)

  it("reads any bytes", function()
    local pieces = { "\22\3\3", "\0\4", "\2\0\0\0", "\21\3\3\0\2\2\40", "\20\3\3\0\1\1", "\23\3\3\0\16", ("\0"):rep(16), "\255",
      "x" }
    for seed = 1, 500 do
      math.randomseed(seed)
      local session = new_session()
      for _ = 1, math.random(20) do
        session:handshake()
        session:drain()
        session:feed(pieces[math.random(#pieces)])
      end
      assert.is_not.equal("done", (session:handshake()), "seed " .. seed)
    end
  end)
end)
