---Cases of the recipe nats. `answers` are in place of its requests, so they test acceptors and delays.
return {
  recipe = "nats",
  {
    name = "NatsReady tries again until it succeeds",
    waiter = "NatsReady",
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = {} },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
  {
    name = "NatsReady fails: AuthorizationViolation",
    waiter = "NatsReady",
    answers = { { error = { type = "AuthorizationViolation" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "NatsReady fails: PermissionsViolation",
    waiter = "NatsReady",
    answers = { { error = { type = "PermissionsViolation" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "StreamsReady tries again until it succeeds",
    waiter = "StreamsReady",
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = {} },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
  {
    name = "StreamsReady fails: AuthorizationViolation",
    waiter = "StreamsReady",
    answers = { { error = { type = "AuthorizationViolation" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "StreamsReady fails: PermissionsViolation",
    waiter = "StreamsReady",
    answers = { { error = { type = "PermissionsViolation" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
}
