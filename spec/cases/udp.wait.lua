---Cases of the recipe udp. `answers` are in place of its requests, so they test acceptors and delays.
return {
  recipe = "udp",
  {
    name = "PortAnswers tries again until it succeeds",
    waiter = "PortAnswers",
    input = { host = "db:5432", send = "ping" },
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = {} },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
}
