---Cases of the recipe grpc. `answers` are in place of its requests, so they test acceptors and delays.
return {
  recipe = "grpc",
  {
    name = "GrpcServing tries again until it succeeds",
    waiter = "GrpcServing",
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = { status = "SERVING" } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
  {
    name = "GrpcServing fails: UNIMPLEMENTED",
    waiter = "GrpcServing",
    answers = { { error = { type = "UNIMPLEMENTED" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
}
