---Waits until a NATS server takes connections. Or, with StreamsReady, until its JetStream answers for the account of the
---user: a server that is configured to keep streams cannot do so without a quorum.
---NATS is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run nats localhost:4222 --max-wait 30s
---    bide run nats nats://app@bus password=@env:PASSWORD --max-wait 30s
---    bide run nats StreamsReady tls://bus ca=ca.pem token=@env:TOKEN --max-wait 1m
---
---Without credentials, a server that wants them is ready, but not for StreamsReady. Wrong credentials are a failure, and
---so is a user that may not ask JetStream.

local acceptor = require "bide.acceptor"
local nats = require "bide.nats"
local service = require "bide.service"

local operation = service {
  port = 4222,
  schemes = { "nats", "tls" },
  tls = "tls",
  parameters = {},
  needs_user = true,
  url = {
    example = "nats://bus",
    documentation = "nats://USER:PASSWORD@HOST:PORT or nats://TOKEN@HOST, or tls:// for TLS.",
  },
  inputs = { token = { type = "string", secret = true, documentation = "A token, in place of user and password." } },
  failures = { "AuthorizationViolation", "PermissionsViolation" },
  transient = { "UnexpectedAnswer", "ServerError", "LameDuckMode", "JetStreamUnavailable" },
}

---A user without a password in the URL is a token: nats://TOKEN@HOST.
local function prepare_for(has_streams)
  return function(target, input)
    local token = input.token or not target.password and not input.user and target.user or nil
    local request = {
      host = target.host, port = target.port, user = not token and target.user or nil, password = target.password,
      token = token, streams = has_streams, domain = input.domain, tls = target.tls, timeout = target.timeout,
    }
    return function() return nats(request) end
  end
end

return {
  Connect = operation {
    prepare = prepare_for(false),
    fact = "'the server answers'",
    default = "NatsReady",
    waitable = {
      NatsReady = {
        documentation = "Waits until a NATS server takes connections.",
        countsAsReady = "the server greets, and answers PING with PONG; without credentials, also a greeting that asks for them",
        acceptors = { acceptor.success() },
      },
    },
  },
  AskForAccount = operation {
    prepare = prepare_for(true),
    fact = "'JetStream answers'",
    inputs = {
      domain = {
        type = "string", pattern = "^[^%s.*>]+$", expected = "a name without blanks, '.', '*' and '>'", example = "hub",
        documentation = "The domain of JetStream. Default: the server's own.",
      },
    },
    waitable = {
      StreamsReady = {
        documentation = "Waits until a NATS server keeps streams.",
        countsAsReady = "JetStream itself answers $JS.API.INFO for the user's account, without an error",
        acceptors = { acceptor.success() },
      },
    },
  },
}
