---Waits until a Unix socket is open, that is, accepts a connection. Or, with SocketClosed, until it does not.
---A socket is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run unix /run/app.sock --max-wait 30s
---    bide run unix /run/clamd.sock send=$'PING\n' expect=PONG --max-wait 30s
---    bide run unix SocketClosed /run/app.sock --max-wait 30s
---
---A socket for datagrams or packets accepts no connection, and is a failure, as is another file.
---
---A server may say the text of `expect` by itself, before `send` has reached it: bide does not know the protocol. So choose
---one that only the answer has.

local acceptor = require "bide.acceptor"
local unix = require "bide.unix"

local function prepare(input)
  return function() return unix(input) end
end

local transient = acceptor.transient "UnexpectedAnswer"

return { Connect = {
  place = "local",
  prepare = prepare,
  fact = "'the socket is open'",
  input = {
    path = {
      type = "path", required = true, positional = 1, example = "/run/app.sock", documentation = "The socket.",
      pattern = "^[^~@]", expected = "a path, without ~ and @ before it (./~ is a name)",
    },
    send = { type = "string", documentation = "A text to send before anything is received." },
    expect = { type = "string", documentation = "A text that must be received." },
    timeout = { type = "duration", default = 10, documentation = "The time for one attempt." },
  },
  default = "SocketOpen",
  waitable = {
    SocketOpen = {
      documentation = "Waits until a unix socket is open.",
      countsAsReady = "the socket accepts a connection; with expect, it also sends that text",
      opposite = "SocketClosed",
      minDelay = 0.05, maxDelay = 5, lateness = 0.05,
      acceptors = { acceptor.success(), transient },
    },
    SocketClosed = {
      documentation = "Waits until a unix socket is closed.",
      countsAsGone = "there is no such file (ENOENT), or nothing listens on the socket (ECONNREFUSED)",
      opposite = "SocketOpen",
      minDelay = 0.05, maxDelay = 5, lateness = 0.05,
      acceptors = {
        acceptor.refused("success", "ENOENT"),
        acceptor.success "retry",
        transient,
      },
    },
  },
} }
