---Waits until a UDP service answers a datagram.
---The service is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run udp game:27015 send=ping --max-wait 30s
---    bide run udp syslog:9514 send=ping expect=pong retransmit=500ms --max-wait 30s

local acceptor = require "bide.acceptor"
local service = require "bide.service"
local udp = require "bide.udp"

local operation = service {
  host = { example = "db:5432", documentation = "HOST or HOST:PORT." },
  transient = { "UnexpectedAnswer" },
}

return { Ask = operation {
  prepare = function(target, input)
    local request = {
      host = target.host, port = target.port, send = input.send, expect = input.expect, timeout = target.timeout,
      retransmit = input.retransmit,
    }
    return function() return udp(request) end
  end,
  fact = "'the port answers'",
  inputs = {
    send = { type = "string", required = true, example = "ping", documentation = "The datagram." },
    expect = { type = "string", documentation = "A text that the answer must contain." },
    retransmit = { type = "duration", documentation = "The time after which the datagram is sent again." },
  },
  waitable = {
    PortAnswers = {
      documentation = "Waits until a UDP service answers.",
      countsAsReady = "a datagram comes back from the address that was asked; with expect, it has that text",
      acceptors = { acceptor.success() },
    },
  },
} }
