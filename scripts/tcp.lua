---Waits until a port is open: somebody accepts a connection to it. Or, with PortClosed, until nobody does.
---
---    bide run tcp host=db port=5432 --max-wait 30s
---    bide run tcp host=cache port=6379 send=$'PING\r\n' expect=+PONG --max-wait 30s
---    bide run tcp PortClosed host=db port=5432 --max-wait 30s
---
---With expect also until that text comes, after `send` was sent. timeout=2 is seconds for one attempt.

local tcp = require "bide.tcp"
local check = require "bide.input" {
  required = { "host", "port" }, optional = { "send", "expect" }, numbers = { "port", "timeout" },
}

local function connect(input)
  check(input)
  return tcp(input)
end

---What passes while somebody starts to listen.
local open = { { state = "success", matcher = { success = true } } }
for _, name in ipairs { "ConnectionRefused", "ConnectionReset", "ConnectionFailed", "NameNotResolved", "RequestTimeout",
  "UnexpectedAnswer" } do
  table.insert(open, { state = "retry", matcher = { errorType = name } })
end

---Silence does not say that nobody listens: a refusal does.
local closed = {
  { state = "success", matcher = { errorType = "ConnectionRefused" } },
  { state = "retry", matcher = { success = true } },
}
for _, name in ipairs { "ConnectionReset", "ConnectionFailed", "NameNotResolved", "RequestTimeout", "UnexpectedAnswer" } do
  table.insert(closed, { state = "retry", matcher = { errorType = name } })
end

return { Connect = { call = connect, default = "PortOpen", waitable = {
  PortOpen = { documentation = "Waits until a port is open.", minDelay = 0.25, maxDelay = 5, acceptors = open },
  PortClosed = { documentation = "Waits until a port is closed.", minDelay = 0.25, maxDelay = 5, acceptors = closed },
} } }
