---Answers recorded from Cassandra 5.0.2 where it asks for a password, and by the documentation of the native protocol,
---version 4. Debian has no package of Cassandra.

local Workspace = require "spec.support.workspace"
local cassandra = require "bide.cassandra"
local conversation = require "spec.support.conversation"

local ERROR, READY, AUTHENTICATE, SUPPORTED, CHALLENGE, ACCEPTED = 0, 2, 3, 6, 14, 16

local function frame(operation, body, version)
  return string.pack(">BBi2Bs4", version or 0x84, 0, 0, operation, body or "")
end

local supported = "\x84\0\0\0\6\0\0\0f\0\3\0\17PROTOCOL_VERSIONS\0\4\0\0043/v3\0\0044/v4\0\0045/v5\0\0096/v6-beta"
  .. "\0\11COMPRESSION\0\2\0\6snappy\0\3lz4\0\11CQL_VERSION\0\1\0\0053.4.7"
local asks = frame(AUTHENTICATE, string.pack(">s2", "org.apache.cassandra.auth.PasswordAuthenticator"))

local function refusal(code, text) return frame(ERROR, string.pack(">i4s2", code, text)) end

require "spec.support.proven"

describe("bide.cassandra", function()
  it("starts a session", function()
    local ok, result, requests = conversation.hold(cassandra, { supported, frame(READY) })
    assert.is_true(ok, result.message)
    assert.same({ answer = "ready", cqlVersion = "3.4.7" }, result)
    assert.same({ "\4\0\0\0\5\0\0\0\0", "\4\0\0\0\1\0\0\0\22\0\1\0\11CQL_VERSION\0\0053.4.7" }, requests)
  end)

  it("shows a password where the server asks for one", function()
    local options = { user = "app", password = "pw" }
    local ok, result, requests = conversation.hold(cassandra, { supported, asks, frame(ACCEPTED, "\xFF\xFF\xFF\xFF") }, options)
    assert.is_true(ok, result.message)
    assert.equal("\4\0\0\0\15\0\0\0\11\0\0\0\7\0app\0pw", requests[3])
    ok, result = conversation.hold(cassandra, { supported, asks })
    assert.is_true(ok)
    assert.equal("passwordWanted", result.answer)
    local _, failure = conversation.hold(cassandra, { supported, asks, refusal(0x0100, "no such user") }, { user = "app" })
    assert.same({ type = "BadCredentials", message = "no such user", code = 0x0100 }, failure)
    _, failure = conversation.hold(cassandra, { supported, asks, frame(CHALLENGE, "\0\0\0\0") }, { user = "app" })
    assert.equal("UnknownAuthentication", failure.type)
  end)

  it("raises what the server refuses", function()
    for code, type_of_error in pairs { [0x1002] = "IsBootstrapping", [0x1001] = "Overloaded", [0] = "ServerError" } do
      local _, failure = conversation.hold(cassandra, { supported, refusal(code, "no") })
      assert.same({ type = type_of_error, message = "no", code = code }, failure)
    end
    local _, failure = conversation.hold(cassandra, { frame(ERROR, string.pack(">i4s2", 10, "version 4?"), 0x83) })
    assert.equal("ProtocolError", failure.type)
  end)

  it("refuses other answers, and survives broken ones", function()
    for _, bytes in ipairs { "HTTP/1.1 400 Bad Request\r\n\r\n", frame(READY), frame(SUPPORTED), frame(SUPPORTED, "\xFF\xFF"),
      "\x84\0\0\0\6\xFF\xFF\xFF\xFF", frame(ERROR), "\4\0\0\0\5\0\0\0\0" } do
      local ok, failure = conversation.hold(cassandra, { bytes })
      assert.is_false(ok)
      assert.equal("InvalidAnswer", failure.type)
    end
    conversation.assert_survives(cassandra, { supported, asks, frame(ACCEPTED, "\xFF\xFF\xFF\xFF") }, { user = "app" })
  end)
end)

describe("the recipe cassandra", function()
  local workspace = Workspace.of_each()

  local function run(answers, ...)
    local server = conversation.serve(answers)
    local done = workspace:start({ "run", "cassandra", "--min-delay", "50ms", "--max-delay", "50ms",
      ("url=cassandra://app@127.0.0.1:1,127.0.0.1:%d"):format(server.port), "--max-wait", "0.4s", ... }):wait()
    server:close()
    return done
  end

  it("waits until one of the servers starts a session", function()
    run({ supported, frame(READY) }, "--output", "json"):writes(0, '"cqlVersion": "3.4.7"')
    assert.equal(124, run({ supported, refusal(0x1002, "bootstrapping") }).code)
  end)

  it("fails at once by a wrong password, and does not show it", function()
    local done = run({ supported, asks, refusal(0x0100, "no such user") }, "password=secret word")
    done:writes(1, "BadCredentials: no such user")
    assert.not_matches("secret word", done.stdout .. done.stderr, 1, true)
    assert.equal(3, run({ "HTTP/1.1 400 Bad Request\r\n\r\n" }).code)
  end)
end)
