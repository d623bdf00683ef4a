---Waits until a UDP service answers a datagram.
---
---    bide run udp host=game port=27015 send=ping --max-wait 30s
---    bide run udp host=syslog port=9514 send=ping expect=pong retransmit=0.5 --max-wait 30s
---
---expect is a text that the answer must contain. Also, in seconds: timeout=2, for one attempt; retransmit=0.5, the time
---after which the datagram is sent again.

local acceptor, udp = require "bide.acceptor", require "bide.udp"
local check = require "bide.input" {
  required = { "host", "port", "send" }, optional = { "expect" }, ports = { "port" },
  seconds = { "timeout", "retransmit" },
}

local function ask(input)
  return udp(check(input))
end

return { Ask = { call = ask, waitable = {
  PortAnswers = { documentation = "Waits until a UDP service answers.", minDelay = 0.25, maxDelay = 5,
    acceptors = { acceptor.success(), acceptor.transient "UnexpectedAnswer" } },
} } }
