---Cases of the recipe amqp. `answers` are in place of its requests, so they test acceptors and delays.
return {
  recipe = "amqp",
  {
    name = "AmqpReady tries again until it succeeds",
    waiter = "AmqpReady",
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = {} },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
  {
    name = "AmqpReady fails: AccessRefused",
    waiter = "AmqpReady",
    answers = { { error = { type = "AccessRefused" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "AmqpReady fails: NotAllowed",
    waiter = "AmqpReady",
    answers = { { error = { type = "NotAllowed" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "QueueExists tries again until it succeeds",
    waiter = "QueueExists",
    input = { queue = "jobs" },
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = {} },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
  {
    name = "QueueExists fails: AccessRefused",
    waiter = "QueueExists",
    input = { queue = "jobs" },
    answers = { { error = { type = "AccessRefused" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "QueueExists fails: NotAllowed",
    waiter = "QueueExists",
    input = { queue = "jobs" },
    answers = { { error = { type = "NotAllowed" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "QueueGone tries again until it succeeds",
    waiter = "QueueGone",
    input = { queue = "jobs" },
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { error = { type = "NotFound" } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
  {
    name = "QueueGone fails: AccessRefused",
    waiter = "QueueGone",
    input = { queue = "jobs" },
    answers = { { error = { type = "AccessRefused" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "QueueGone fails: NotAllowed",
    waiter = "QueueGone",
    input = { queue = "jobs" },
    answers = { { error = { type = "NotAllowed" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
}
