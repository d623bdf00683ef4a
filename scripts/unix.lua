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
local function waiter(documentation, open, closed)
  local acceptors = { { state = open, matcher = { success = true } } }
  for _, name in ipairs { "ConnectionRefused", "ConnectionFailed" } do
    table.insert(acceptors, { state = closed, matcher = { errorType = name } })
  end
  for _, name in ipairs { "ConnectionReset", "RequestTimeout", "UnexpectedAnswer" } do
    table.insert(acceptors, { state = "retry", matcher = { errorType = name } })
  end
  return { documentation = documentation, minDelay = 0.25, maxDelay = 5, acceptors = acceptors }
end

return { Connect = { call = connect, default = "SocketOpen", waitable = {
  SocketOpen = waiter("Waits until a unix socket is open.", "success", "retry"),
  SocketClosed = waiter("Waits until a unix socket is closed.", "retry", "success"),
} } }
