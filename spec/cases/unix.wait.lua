---Cases of the recipe unix. `answers` are in place of its requests, so they test acceptors and delays.

local shapes = require "shapes"

return {
  recipe = "unix",
  shapes.succeeds("SocketOpen", { path = "/run/app.sock" }, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = {} },
  }, { 0.05, 2.86 }),
  {
    name = "SocketClosed waits while the socket is open",
    waiter = "SocketClosed",
    input = { path = "/run/app.sock" },
    answers = {
      { output = {} },
      { error = { type = "UnexpectedAnswer" }, duration = 300 },
      { error = { type = "ConnectionRefused" } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
}
