---Waits until a port is open, that is, accepts a connection. Or, with PortClosed, until a connection is refused.
---A port is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run tcp db:5432 --max-wait 30s
---    bide run tcp cache:6379 send=$'PING\r\n' expect=+PONG --max-wait 30s
---    bide run tcp PortClosed db:5432 --max-wait 30s

local acceptor = require "bide.acceptor"
local address = require "bide.address"
local tcp = require "bide.tcp"

local function connect(input)
  local target = address.of(input)
  return tcp { host = target.host, port = target.port, send = input.send, expect = input.expect, timeout = input.timeout }
end

local transient = acceptor.transient "UnexpectedAnswer"

return { Connect = {
  call = connect,
  fact = "'the port is open'",
  check = address.check(),
  input = address.host_inputs {
    send = { type = "string", documentation = "A text to send before anything is received." },
    expect = { type = "string", documentation = "A text that must be received." },
  },
  default = "PortOpen",
  waitable = {
    PortOpen = {
      documentation = "Waits until a port is open.",
      countsAsReady = "one address of the host accepts a connection; with expect, it also sends that text",
      opposite = "PortClosed",
      minDelay = 0.05, maxDelay = 5, lateness = 0.05,
      acceptors = { acceptor.success(), transient },
    },
    PortClosed = {
      documentation = "Waits until a port is closed.",
      countsAsGone = "every address of the host refuses the connection (ECONNREFUSED)",
      opposite = "PortOpen",
      minDelay = 0.05, maxDelay = 5, lateness = 0.05,
      acceptors = { acceptor.refused "success", acceptor.success "retry", transient },
    },
  },
} }
