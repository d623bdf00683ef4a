---Cases of the recipe ssh. `answers` are in place of its requests, so they test acceptors and delays.
return {
  recipe = "ssh",
  {
    name = "SshReady tries again until it succeeds",
    waiter = "SshReady",
    input = { host = "host:2222" },
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = {} },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
  {
    name = "SshReady fails: HostKeyMismatch",
    waiter = "SshReady",
    input = { host = "host:2222" },
    answers = { { error = { type = "HostKeyMismatch" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
}
