---Cases of the recipe nginx. `answers` are in place of its requests, so they test acceptors and delays.
return {
  recipe = "nginx",
  {
    name = "NginxServing tries again until it succeeds",
    waiter = "NginxServing",
    input = { url = "localhost:8080" },
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = {} },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
  {
    name = "RequestsDrained tries again until it succeeds",
    waiter = "RequestsDrained",
    input = { url = "localhost:8080" },
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = { drained = true } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
}
