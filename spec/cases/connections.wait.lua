---Cases of the recipe connections. `answers` are in place of its looks, so they test acceptors and delays.
return {
  recipe = "connections",
  {
    name = "ConnectionsDrained tries again until it succeeds",
    input = { port = 8080 },
    answers = {
      { error = { type = "PortUnused" } },
      { output = { drained = false }, duration = 300 },
      { output = { drained = true } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
  {
    name = "ConnectionsDrained fails: ConnectionsHidden",
    input = { port = 8080 },
    answers = { { error = { type = "ConnectionsHidden" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
}
