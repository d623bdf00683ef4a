---Waits until a unix socket is open: somebody accepts a connection to it. Or, with SocketClosed, until nobody does.
---
---    bide run unix path=/run/app.sock --max-wait 30s
---    bide run unix path=/run/clamd.sock send=$'PING\n' expect=PONG --max-wait 30s
---    bide run unix SocketClosed path=/run/app.sock --max-wait 30s
---
---With expect also until that text comes, after `send` was sent. timeout=2 is seconds for one attempt.

local unix = require "bide.unix"
local check = require "bide.input" {
  required = { "path" }, optional = { "send", "expect" }, numbers = { "timeout" },
}

local function connect(input)
  check(input)
  return unix(input)
end

---What passes while somebody starts to listen. A socket that may not be used does not.
local open = { { state = "success", matcher = { success = true } } }
for _, name in ipairs { "ConnectionRefused", "ConnectionReset", "ConnectionFailed", "RequestTimeout", "UnexpectedAnswer" } do
  table.insert(open, { state = "retry", matcher = { errorType = name } })
end

---It is closed where there is none, or nobody listens.
local closed = {
  { state = "success", matcher = { errorType = "ConnectionRefused" } },
  { state = "success", matcher = { errorType = "ConnectionFailed" } },
  { state = "retry", matcher = { success = true } },
}
for _, name in ipairs { "ConnectionReset", "RequestTimeout", "UnexpectedAnswer" } do
  table.insert(closed, { state = "retry", matcher = { errorType = name } })
end

return { Connect = { call = connect, default = "SocketOpen", waitable = {
  SocketOpen = { documentation = "Waits until a unix socket is open.", minDelay = 0.25, maxDelay = 5, acceptors = open },
  SocketClosed = { documentation = "Waits until it is closed.", minDelay = 0.25, maxDelay = 5, acceptors = closed },
} } }
