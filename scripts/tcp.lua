---Waits until a port is open: somebody accepts a connection to it, or to a unix socket.
---
---    bide run tcp host=db port=5432 --max-wait 30s
---    bide run tcp host=cache port=6379 send=$'PING\r\n' expect=+PONG --max-wait 30s
---
---With expect also until that text comes, after `send` was sent. In place of host and port:
---unix_socket=/run/app.sock. timeout=2 is seconds for one attempt.

local tcp = require "bide.tcp"

local check = require "bide.input" {
  optional = { "host", "unix_socket", "send", "expect" }, numbers = { "port", "timeout" },
}

local function connect(input)
  check(input)
  if not input.unix_socket and not (input.host and input.port) then
    error { type = "InvalidInput", message = "the inputs host and port are missing, or unix_socket" }
  end
  return tcp(input)
end

---What passes while somebody starts to listen. A socket that may not be used does not.
local passing = {
  "ConnectionRefused", "ConnectionReset", "ConnectionFailed", "NameNotResolved", "RequestTimeout", "UnexpectedAnswer",
}

local acceptors = { { state = "success", matcher = { success = true } } }
for _, name in ipairs(passing) do
  table.insert(acceptors, { state = "retry", matcher = { errorType = name } })
end

return { Connect = { call = connect, waitable = { PortOpen = {
  documentation = "Waits until a port is open.", minDelay = 0.25, maxDelay = 5, acceptors = acceptors,
} } } }
