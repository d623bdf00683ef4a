---Waits until a Unix socket is open, that is, accepts a connection. Or, with SocketClosed, until it does not.
---
---    bide run unix path=/run/app.sock --max-wait 30s
---    bide run unix path=/run/clamd.sock send=$'PING\n' expect=PONG --max-wait 30s
---    bide run unix SocketClosed path=/run/app.sock --max-wait 30s
---
---expect is a text that must be received after `send` was sent. timeout=2 is the seconds for one attempt.

local acceptor, unix = require "bide.acceptor", require "bide.unix"
local check = require "bide.input" { required = { "path" }, optional = { "send", "expect" }, seconds = { "timeout" } }

local function connect(input)
  return unix(check(input))
end

local transient = acceptor.transient "UnexpectedAnswer"

return { Connect = { call = connect, default = "SocketOpen", waitable = {
  SocketOpen = { documentation = "Waits until a unix socket is open.", minDelay = 0.25, maxDelay = 5,
    acceptors = { acceptor.success(), transient } },
  SocketClosed = { documentation = "Waits until a unix socket is closed.", minDelay = 0.25, maxDelay = 5,
    acceptors = { acceptor.error("success", "ConnectionRefused"), acceptor.error("success", "ConnectionFailed"),
      acceptor.success "retry", transient } },
} } }
