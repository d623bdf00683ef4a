---Waits until a port is open, that is, accepts a connection. Or, with PortClosed, until a connection is refused.
---
---    bide run tcp host=db port=5432 --max-wait 30s
---    bide run tcp host=cache port=6379 send=$'PING\r\n' expect=+PONG --max-wait 30s
---    bide run tcp PortClosed host=db port=5432 --max-wait 30s
---
---expect is a text that must be received after `send` was sent. timeout=2 is the seconds for one attempt.

local acceptor, tcp = require "bide.acceptor", require "bide.tcp"
local check = require "bide.input" {
  required = { "host", "port" }, optional = { "send", "expect" }, ports = { "port" }, seconds = { "timeout" },
}

local function connect(input)
  return tcp(check(input))
end

local transient = acceptor.transient "UnexpectedAnswer"

return { Connect = { call = connect, default = "PortOpen", waitable = {
  PortOpen = { documentation = "Waits until a port is open.", minDelay = 0.25, maxDelay = 5,
    acceptors = { acceptor.success(), transient } },
  PortClosed = { documentation = "Waits until a port is closed.", minDelay = 0.25, maxDelay = 5,
    acceptors = { acceptor.error("success", "ConnectionRefused"), acceptor.success "retry", transient } },
} } }
