---Waits until a broker of AMQP 0-9-1, such as RabbitMQ, opens a virtual host. Or, with QueueExists, until it has a queue;
---with QueueGone, until it has none.
---The broker is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run amqp amqp://bus --max-wait 1m
---    bide run amqp QueueExists amqps://app@bus/shop jobs password=@env:PASSWORD ca=ca.pem --max-wait 1m
---
---Without a user, a broker that refuses guest is ready, unless a virtual host is named. Wrong credentials, or no such
---virtual host, are a failure. A queue whose node is down is there: RabbitMQ keeps it.

local acceptor, address, amqp = require "bide.acceptor", require "bide.address", require "bide.amqp"
local tls = require "bide.tls"
local forms = { schemes = { "amqp", "amqps" }, parameters = {}, needs_user = true, harmless = { "heartbeat",
  "connection_timeout", "connection_attempts", "retry_delay", "socket_timeout", "channel_max", "frame_max" } }

local function port_of(input) return input.url and input.url:lower():find "^amqps:" and 5671 or 5672 end
local function connect(input)
  local target = assert(address.of(input, port_of(input), forms))
  return amqp { host = target.host, port = target.port, user = target.user, password = target.password,
    vhost = input.vhost or target.path ~= "" and target.path or nil, queue = input.queue,
    tls = tls.options(input, target.scheme == "amqps"), timeout = input.timeout }
end
local function waiter(text, opposite, success, more)
  local definition = { documentation = text, opposite = opposite, minDelay = 0.05, maxDelay = 5, lateness = 0.05,
    acceptors = {
    acceptor.error("failure", "AccessRefused"), acceptor.error("failure", "NotAllowed"), success,
    acceptor.transient("ConnectionForced", "UnexpectedAnswer", "ServerError", "NotFound", "QueueUnavailable",
      "ResourceLocked") } }
  for name, value in pairs(more) do definition[name] = value end
  return definition
end

local function inputs(own)
  own.url = { type = "string", positional = 1, example = "amqp://app@bus/shop",
    documentation = "amqp://USER:PASSWORD@HOST:PORT/VHOST, or amqps:// for TLS, or HOST:PORT." }
  own.vhost = { type = "string", documentation = "The virtual host. Default: that of the URL, or /." }
  return tls.inputs(address.url_inputs(own, 5672))
end

local check = tls.check(function(input) return address.check(port_of(input), forms)(input) end)

return {
  Connect = { call = connect, check = check, input = inputs {}, default = "AmqpReady", waitable = {
    AmqpReady = waiter("Waits until a broker opens a virtual host.", nil, acceptor.success(), { countsAsReady =
      "the broker logs the user in and opens the virtual host; without a user and a vhost, it may refuse guest" }),
  } },
  FindQueue = { call = connect, check = check, input = inputs {
    queue = { type = "string", required = true, positional = 2, example = "jobs", documentation = "The queue." },
  }, waitable = {
    QueueExists = waiter("Waits until a queue exists.", "QueueGone", acceptor.success(),
      { countsAsReady = "the broker accepts a passive declaration of the queue, with its messages and consumers" }),
    QueueGone = waiter("Waits until a queue does not exist.", "QueueExists", acceptor.error("success", "NotFound"),
      { countsAsGone = "the broker refuses a passive declaration with `NOT_FOUND - no queue '…'`, and no other words" }),
  } },
}
