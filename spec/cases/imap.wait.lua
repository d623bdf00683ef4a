---Cases of the recipe imap. `answers` are in place of its requests, so they test acceptors and delays.
return {
  recipe = "imap",
  {
    name = "ImapReady tries again until it succeeds",
    waiter = "ImapReady",
    input = { host = "mail:143" },
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = {} },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
  {
    name = "ImapReady fails: BAD",
    waiter = "ImapReady",
    input = { host = "mail:143" },
    answers = { { error = { type = "BAD" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
}
