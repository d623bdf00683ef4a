---Cases of the recipe rabbitmq. `answers` are in place of its requests, so they test acceptors and delays.
return {
  recipe = "rabbitmq",
  {
    name = "QueueDrained fails: state stringEquals crashed",
    waiter = "QueueDrained",
    input = { queue = "jobs", url = "localhost:15672" },
    answers = { { output = { state = "crashed" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "QueueExists tries again until it succeeds",
    waiter = "QueueExists",
    input = { queue = "jobs", url = "localhost:15672" },
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = {} },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
}
