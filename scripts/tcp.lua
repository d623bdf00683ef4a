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

---What passes while somebody starts to listen. That nobody listens is said by a refusal, not by silence.
local function waiter(documentation, open, refused)
  local acceptors = {
    { state = open, matcher = { success = true } }, { state = refused, matcher = { errorType = "ConnectionRefused" } },
  }
  for _, name in ipairs { "ConnectionReset", "ConnectionFailed", "NameNotResolved", "RequestTimeout",
    "UnexpectedAnswer" } do
    table.insert(acceptors, { state = "retry", matcher = { errorType = name } })
  end
  return { documentation = documentation, minDelay = 0.25, maxDelay = 5, acceptors = acceptors }
end

return { Connect = { call = connect, default = "PortOpen", waitable = {
  PortOpen = waiter("Waits until a port is open.", "success", "retry"),
  PortClosed = waiter("Waits until a port is closed.", "retry", "success"),
} } }
