---Cases of the recipe git_ref. `answers` are in place of its requests, so they test acceptors and delays.

local shapes = require "shapes"

local input = { ref = "main", repository = "https://git.example.org/app.git" }

return {
  recipe = "git_ref",
  shapes.succeeds("RefExists", input, {
    { error = { type = "RefNotFound" } },
    { error = { type = "UnexpectedValue" } },
    { error = { type = "ConnectionRefused" } },
    { error = { type = "RefNotFound" } },
    { error = { type = "UnexpectedValue" } },
    { error = { type = "ConnectionRefused" } },
    { error = { type = "RefNotFound" } },
    { error = { type = "UnexpectedValue" } },
    { output = {} },
  }, { 2, 2.479, 7.686, 6.216, 14.959, 17.222, 6.384, 21.123 }),
  shapes.succeeds("RefGone", input, {
    { output = {} },
    { error = { type = "ConnectionRefused" } },
    { output = {} },
    { error = { type = "ConnectionRefused" } },
    { output = {} },
    { error = { type = "ConnectionRefused" } },
    { output = {} },
    { error = { type = "ConnectionRefused" } },
    { error = { type = "RefNotFound" } },
  }, { 2, 2.479, 7.686, 6.216, 14.959, 17.222, 6.384, 21.123 }),
  {
    name = "RefGone succeeds: UnexpectedValue",
    waiter = "RefGone",
    input = input,
    answers = { { error = { type = "UnexpectedValue" } } },
    expect = { state = "success", reason = "acceptor", attempts = 1 },
  },
}
