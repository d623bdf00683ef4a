---Cases of the recipe commit_checks. `answers` are in place of its requests, so they test acceptors and delays.
return {
  recipe = "commit_checks",
  {
    name = "ChecksPassed tries again until it succeeds",
    waiter = "ChecksPassed",
    input = { repository = "acme/shop", commit = "3f1c2ab", names = { "build", "test" } },
    answers = {
      { error = { type = "RateLimitExceeded" } },
      { output = { state = "pending" } },
      { error = { type = "UnprocessableContent" } },
      { error = { type = "ConnectionRefused" } },
      { output = { state = "pending" } },
      { output = { state = "passed" } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 5, 9.643, 15.001, 26.695, 16.049 } },
  },
  {
    name = "ChecksPassed fails with the names of the checks",
    waiter = "ChecksPassed",
    input = { repository = "acme/shop", commit = "3f1c2ab", names = { "build", "test" } },
    answers = { { output = { state = "failed", failed = { "build", "lint" } } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1, message = "build, lint" },
  },
}
