---Cases of the recipe commit_checks. `answers` are in place of its requests, so they test acceptors and delays.

local shapes = require "shapes"

return {
  recipe = "commit_checks",
  shapes.succeeds("ChecksPassed", { repository = "acme/shop", commit = "3f1c2ab", names = { "build", "test" } }, {
    { error = { type = "RateLimitExceeded" } },
    { output = { state = "pending" } },
    { error = { type = "UnprocessableContent" } },
    { error = { type = "ConnectionRefused" } },
    { output = { state = "pending" } },
    { output = { state = "passed" } },
  }, { 5, 9.643, 15.001, 26.695, 16.049 }),
  {
    name = "ChecksPassed fails with the names of the checks",
    waiter = "ChecksPassed",
    input = { repository = "acme/shop", commit = "3f1c2ab", names = { "build", "test" } },
    answers = { { output = { state = "failed", failed = { "build", "lint" } } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1, message = "build, lint" },
  },
}
