---Cases of the recipe smtp. `answers` are in place of its requests, so they test acceptors and delays.
return {
  recipe = "smtp",
  {
    name = "SmtpReady tries again until it succeeds",
    waiter = "SmtpReady",
    input = { host = "mail:587" },
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = {} },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
  {
    name = "SmtpReady fails: 554",
    waiter = "SmtpReady",
    input = { host = "mail:587" },
    answers = { { error = { type = "554" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
}
