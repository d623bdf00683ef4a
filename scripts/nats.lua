---Waits until a NATS server takes connections. Or, with StreamsReady, until it keeps streams (JetStream) as well.
---NATS is near, and a poll is cheap: the delays are 50 ms to 250 ms.
---
---    bide run nats localhost:4222 --max-wait 30s
---    bide run nats nats://app@bus password=@env:PASSWORD --max-wait 30s
---    bide run nats StreamsReady tls://bus ca=ca.pem token=@env:TOKEN --max-wait 1m
---
---Without credentials, a server that wants them is ready. Wrong credentials are a failure.

local acceptor, address, nats = require "bide.acceptor", require "bide.address", require "bide.nats"
local tls = require "bide.tls"
local port, forms = 4222, { schemes = { "nats", "tls" }, tls = {}, needs_user = true }

local function connect(input)
  local target = assert(address.of(input, port, forms))
  local token = input.token or not target.password and not input.user and target.user or nil -- nats://TOKEN@HOST
  return nats { host = target.host, port = target.port, user = not token and target.user or nil, password = target.password,
    token = token, tls = tls.options(input, target.scheme == "tls"), timeout = input.timeout }
end

local function waiter(text, success)
  return { documentation = text, minDelay = 0.05, maxDelay = 0.25, acceptors = { success,
    acceptor.error("failure", "AuthorizationViolation"), acceptor.transient("UnexpectedAnswer", "ServerError") } }
end

return { Connect = { call = connect, check = tls.check(address.check(port, forms)), default = "NatsReady",
  input = tls.inputs(address.url_inputs({ url = { type = "string", positional = 1, example = "nats://bus",
    documentation = "nats://USER:PASSWORD@HOST:PORT or nats://TOKEN@HOST, or tls:// for TLS." },
    token = { type = "string", secret = true, documentation = "A token, in place of user and password." } }, port)),
waitable = {
  NatsReady = waiter("Waits until a NATS server takes connections.", acceptor.success()),
  StreamsReady = waiter("Waits until a NATS server keeps streams.", acceptor.output("success", "jetstream")),
} } }
