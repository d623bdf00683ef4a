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

local acceptor, address, nats = require "bide.acceptor", require "bide.address", require "bide.nats"
local tls = require "bide.tls"
local port, forms = 4222, { schemes = { "nats", "tls" }, parameters = {}, needs_user = true }

local function connect_for(has_streams)
  return function(input)
    local target = assert(address.of(input, port, forms))
    local token = input.token or not target.password and not input.user and target.user or nil -- nats://TOKEN@HOST
    return nats { host = target.host, port = target.port, user = not token and target.user or nil,
      password = target.password, token = token, streams = has_streams, domain = input.domain,
      tls = tls.options(input, target.scheme == "tls"), timeout = input.timeout }
  end
end

local function inputs(own)
  own.url = { type = "string", positional = 1, example = "nats://bus",
    documentation = "nats://USER:PASSWORD@HOST:PORT or nats://TOKEN@HOST, or tls:// for TLS." }
  own.token = { type = "string", secret = true, documentation = "A token, in place of user and password." }
  return tls.inputs(address.url_inputs(own, port))
end

local function waiter(text, witness)
  return { documentation = text, countsAsReady = witness, minDelay = 0.05, maxDelay = 5, lateness = 0.05, acceptors = {
    acceptor.success(),
    acceptor.error("failure", "AuthorizationViolation"),
    acceptor.error("failure", "PermissionsViolation"),
    acceptor.transient("UnexpectedAnswer", "ServerError", "LameDuckMode", "JetStreamUnavailable"),
  } }
end

local check = tls.check(address.check(port, forms))

return {
  Connect = { call = connect_for(false), check = check, default = "NatsReady", input = inputs {}, waitable = {
    NatsReady = waiter("Waits until a NATS server takes connections.",
      "the server greets, and answers PING with PONG; without credentials, also a greeting that asks for them"),
  } },
  AskForAccount = { call = connect_for(true), check = check, input = inputs {
    domain = { type = "string", pattern = "^[^%s.*>]+$", example = "hub",
      documentation = "The domain of JetStream. Default: the server's own." },
  }, waitable = {
    StreamsReady = waiter("Waits until a NATS server keeps streams.",
      "JetStream itself answers $JS.API.INFO for the user's account, without an error"),
  } },
}
