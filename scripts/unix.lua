---Waits until a unix socket is open: somebody accepts a connection to it. Or, with SocketClosed, until nobody does.
---
---    bide run unix path=/run/app.sock --max-wait 30s
---    bide run unix path=/run/clamd.sock send=$'PING\n' expect=PONG --max-wait 30s
---    bide run unix SocketClosed path=/run/app.sock --max-wait 30s
---
---With expect also until that text comes, after `send` was sent. timeout=2 is seconds for one attempt.

local error_class, unix = require "bide.error_class", require "bide.unix"
local check = require "bide.input" { required = { "path" }, optional = { "send", "expect" }, numbers = { "timeout" } }

local function connect(input)
  check(input)
  return unix(input)
end

local again = { state = "retry", matcher = { lua = error_class.matcher "UnexpectedAnswer" } }
local open = { { state = "success", matcher = { success = true } }, again }
local closed = {
  { state = "success", matcher = { errorType = "ConnectionRefused" } },
  { state = "success", matcher = { errorType = "ConnectionFailed" } },
  { state = "retry", matcher = { success = true } }, again,
}

return { Connect = { call = connect, default = "SocketOpen", waitable = {
  SocketOpen = { documentation = "Waits until a socket is open.", minDelay = 0.25, maxDelay = 5, acceptors = open },
  SocketClosed = { documentation = "Waits until a socket is closed.", minDelay = 0.25, maxDelay = 5, acceptors = closed },
} } }
