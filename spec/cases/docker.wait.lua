---Cases of the recipe docker. `answers` are in place of its requests, so they test acceptors and delays.
return {
  recipe = "docker",
  {
    name = "ContainerGone tries again until it succeeds",
    waiter = "ContainerGone",
    input = { container = "db" },
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { error = { type = "NotFound" } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
}
