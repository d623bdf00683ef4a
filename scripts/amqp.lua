---Waits until a broker of AMQP 0-9-1, such as RabbitMQ, opens a virtual host. Or, with QueueExists, until it has a queue;
---with QueueGone, until it has none.
---The broker is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run amqp amqp://bus --max-wait 1m
---    bide run amqp QueueExists amqps://app@bus/shop jobs password=@env:PASSWORD ca=ca.pem --max-wait 1m
---
---Without a user, a broker that refuses guest is ready, unless a virtual host is named. Wrong credentials, or no such
---virtual host, are a failure. A queue whose node is down is there: RabbitMQ keeps it.

local acceptor = require "bide.acceptor"
local amqp = require "bide.amqp"
local service = require "bide.service"

local operation = service {
  port = 5672,
  tls_port = 5671,
  schemes = { "amqp", "amqps" },
  tls = "amqps",
  parameters = {},
  harmless = {
    "heartbeat", "connection_timeout", "connection_attempts", "retry_delay", "socket_timeout", "channel_max", "frame_max",
  },
  needs_user = true,
  url = {
    example = "amqp://app@bus/shop",
    documentation = "amqp://USER:PASSWORD@HOST:PORT/VHOST, or amqps:// for TLS, or HOST:PORT.",
  },
  inputs = { vhost = { type = "string", documentation = "The virtual host. Default: that of the URL, or /." } },
  failures = { "AccessRefused", "NotAllowed" },
  transient = { "ConnectionForced", "UnexpectedAnswer", "ServerError", "NotFound", "QueueUnavailable", "ResourceLocked" },
}

local function prepare(target, input)
  local request = {
    host = target.host, port = target.port, user = target.user, password = target.password,
    vhost = input.vhost or target.path ~= "" and target.path or nil, queue = input.queue, tls = target.tls,
    timeout = target.timeout,
  }
  return function() return amqp(request) end
end

return {
  Connect = operation {
    prepare = prepare,
    fact = "'the broker accepts connections'",
    default = "AmqpReady",
    waitable = {
      AmqpReady = {
        documentation = "Waits until a broker opens a virtual host.",
        countsAsReady =
          "the broker logs the user in and opens the virtual host; without a user and a vhost, it may refuse guest",
        acceptors = { acceptor.success() },
      },
    },
  },
  FindQueue = operation {
    prepare = prepare,
    fact = "'the queue is there'",
    inputs = {
      queue = {
        type = "string", required = true, positional = 2, example = "jobs", documentation = "The queue.",
        pattern = "^[^*]*$", expected = "the name of one queue, which is no pattern",
      },
    },
    waitable = {
      QueueExists = {
        documentation = "Waits until a queue exists.",
        countsAsReady = "the broker accepts a passive declaration of the queue, with its messages and consumers",
        opposite = "QueueGone",
        acceptors = { acceptor.success() },
      },
      QueueGone = {
        documentation = "Waits until a queue does not exist.",
        countsAsGone = "each address of the host refuses a passive declaration with `NOT_FOUND - no queue '…'`, and "
          .. "no other words",
        acceptors = { acceptor.error("success", "NotFound") },
      },
    },
  },
}
