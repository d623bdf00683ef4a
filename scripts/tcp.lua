---Waits until a port is open, that is, accepts a connection. Or, with PortClosed, until a connection is refused.
---A port is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---On this machine, bide notices at once that the port opens.
---
---    bide run tcp db:5432 --max-wait 30s
---    bide run tcp tcp://db:5432 --max-wait 30s
---    bide run tcp cache:6379 send=$'PING\r\n' expect=+PONG --max-wait 30s
---    bide run tcp PortClosed db:5432 --max-wait 30s
---
---A program in between accepts connections for a service that does not listen yet: docker-proxy for a port that Docker
---publishes, systemd for a unit with a socket, ssh -L, kubectl port-forward, a load balancer. The recipe of the service, or
---`expect`, asks the service itself.
---
---A server may say the text of `expect` by itself, before `send` has reached it: bide does not know the protocol. So choose
---one that only the answer has.

local acceptor = require "bide.acceptor"
local service = require "bide.service"
local tcp = require "bide.tcp"

local operation = service {
  host = { example = "db:5432", documentation = "HOST or HOST:PORT, or tcp://HOST:PORT." },
  schemes = { "tcp" },
  parameters = {},
  transient = { "UnexpectedAnswer" },
}

return { Connect = operation {
  prepare = function(target, input)
    if target.user or (target.path or "") ~= "" then
      return nil, "host: expected no more than tcp://HOST:PORT, found a " .. (target.user and "user" or "path")
    end
    local request = {
      host = target.host, port = target.port, send = input.send, expect = input.expect, timeout = target.timeout,
    }
    return function() return tcp(request) end
  end,
  fact = "'the port is open'",
  inputs = {
    send = { type = "string", documentation = "A text to send before anything is received." },
    expect = { type = "string", documentation = "A text that must be received." },
  },
  default = "PortOpen",
  waitable = {
    PortOpen = {
      documentation = "Waits until a port is open.",
      countsAsReady = "one address of the host accepts a connection; with expect, it also sends that text",
      opposite = "PortClosed",
      acceptors = { acceptor.success() },
    },
    PortClosed = {
      documentation = "Waits until a port is closed.",
      countsAsGone = "every address of the host refuses the connection (ECONNREFUSED)",
      acceptors = { acceptor.refused "success", acceptor.success "retry" },
    },
  },
} }
