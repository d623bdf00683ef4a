---A password without a user was not tried: NATS and Cassandra were ready, since they asked for one, AMQP was asked as guest,
---and Kafka without SASL. And the token of a NATS URL was sent as a user.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local address = require "bide.address"

describe("a password without a user", function()
  local workspace = Workspace.of_block()

  for _, words in ipairs { { "nats", "localhost:1" }, { "cassandra", "localhost:1" }, { "kafka", "localhost:1" },
    { "amqp", "localhost:1" } } do
    it("is a mistake for " .. words[1], function()
      for _, password in ipairs { "password=x", 'password:=""' } do
        local done = workspace:bide { "run", words[1], words[2], password, "--max-wait", "1s" }
        done:says(2, "user: expected one, since there is a password; found nothing")
      end
      workspace:bide({ "run", words[1], words[2], "password=x", "user=me", "--max-wait", "0.1s", "--quiet" }):ends(124)
    end)
  end

  it("is none where the user is in the URL, or where servers need none", function()
    local forms = { schemes = { "x" }, needs_user = true }
    assert.is_nil(address.check_list("url", 1, forms) { url = "x://me@one,two", password = "y" })
    assert.is_nil(address.check_list("url", 1, forms) { url = "one,two" })
    assert.truthy(address.check_list("url", 1, forms) { url = "x://:y@one" })
    assert.truthy(address.of({ url = "x://me@h", password = "y" }, 1, forms))
    assert.truthy(address.of({ url = "x://:y@h" }, 1, { schemes = { "x" } }))
  end)

  it("is not the token of NATS", function()
    local said
    local server = Server.start(nil, {
      connected = function(peer) peer:write 'INFO {"auth_required":true}\r\n' end,
      raw = function(peer, bytes)
        said = bytes
        peer:write "PONG\r\n"
      end,
    })
    local done = workspace:bide { "run", "nats", ("nats://tokentoken@127.0.0.1:%d"):format(server.port), "--max-wait", "50s" }
    server:close()
    assert.equal(0, done.code, done.stderr)
    assert.matches('"auth_token":%s*"tokentoken"', said)
    assert.not_matches('"user"', said, 1, true)
  end)
end)
