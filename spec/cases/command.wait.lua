---Cases of the recipe command. `answers` are in place of its requests, so they test acceptors and delays.
return {
  recipe = "command",
  {
    name = "CommandSucceeded tries again until it succeeds",
    waiter = "CommandSucceeded",
    input = { run = "pg_isready -h db" },
    answers = {
      { error = { type = "CommandFailed" } },
      { error = { type = "UnexpectedValue" } },
      { error = { type = "CommandFailed" }, duration = 300 },
      { output = {} },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 0.05, 2.86 } },
  },
  {
    name = "CommandSucceeded fails: an exit code that the input calls failed",
    waiter = "CommandSucceeded",
    input = { run = "pg_isready -h db", failed = { 2 } },
    answers = { { error = { type = "FailedValue" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
}
