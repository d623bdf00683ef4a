---Cases of the recipe tcp. `answers` are in place of its requests, so they test acceptors and delays;
---with `dialogue` it sends them.

local shapes = require "shapes"

return {
  recipe = "tcp",
  shapes.succeeds("PortOpen", { host = "db:5432" }, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = {} },
  }, { 0.05, 2.86 }),
  {
    name = "PortClosed waits while the port is open",
    waiter = "PortClosed",
    input = { host = "db:5432" },
    answers = {
      { output = {} },
      { error = { type = "UnexpectedAnswer" }, duration = 300 },
      { error = { type = "ConnectionRefused" } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
  {
    name = "PortOpen connects until somebody listens",
    waiter = "PortOpen",
    input = { host = "127.0.0.1", port = 5432 },
    dialogue = { { { refuse = "ECONNREFUSED" } }, { { close = true } } },
    expect = { state = "success", attempts = 2 },
  },
}
