---Cases of the recipe nginx. `answers` are in place of its requests, so they test acceptors and delays;
---with `exchanges` it sends them.

local shapes = require "shapes"

local input = { url = "localhost:8080" }

return {
  recipe = "nginx",
  shapes.succeeds("NginxServing", input, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = {} },
  }, { 0.05, 2.86 }),
  shapes.succeeds("RequestsDrained", input, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { drained = true } },
  }, { 0.05, 2.86 }),
  {
    name = "RequestsDrained counts the requests of the page beside its own",
    waiter = "RequestsDrained",
    input = { url = "localhost:8080/status" },
    exchanges = {
      {
        request = { url = "http://localhost:8080/status" },
        response = { body = "Active connections: 3 \nserver accepts handled requests\n 9 9 9 \n"
          .. "Reading: 0 Writing: 3 Waiting: 0 \n" },
      },
      {
        request = { url = "http://localhost:8080/status" },
        response = { body = "Active connections: 1 \nserver accepts handled requests\n 9 9 9 \n"
          .. "Reading: 0 Writing: 1 Waiting: 0 \n" },
      },
    },
    expect = { state = "success", attempts = 2, requests = 2, output = { inFlight = 0 } },
  },
}
