---Cases of the recipe tls. `answers` are in place of its requests, so they test acceptors and delays.

local shapes = require "shapes"

local input = { host = "cache:6380" }

return {
  recipe = "tls",
  shapes.succeeds("CertificateInvalid", input, {
    { output = {} },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { error = { type = "TlsFailure", problem = "unknownAuthority" } },
  }, { 0.05, 2.86 }),
  shapes.fails("CertificateInvalid", "AuthorityNotGiven", input),
  shapes.fails("CertificateInvalid", "HostNotGiven", input),
  {
    name = "CertificateInvalid succeeds: CertificateExpires",
    waiter = "CertificateInvalid",
    input = input,
    answers = { { error = { type = "CertificateExpires" } } },
    expect = { state = "success", reason = "acceptor", attempts = 1 },
  },
  {
    name = "CertificateInvalid succeeds: UnexpectedIssuer",
    waiter = "CertificateInvalid",
    input = input,
    answers = { { error = { type = "UnexpectedIssuer" } } },
    expect = { state = "success", reason = "acceptor", attempts = 1 },
  },
  shapes.succeeds("CertificateValid", input, {
    { error = { type = "TlsFailure", problem = "expired" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = {} },
  }, { 0.05, 2.86 }),
  shapes.fails("CertificateValid", "TlsFailure", input),
  shapes.fails("CertificateValid", "AuthorityNotGiven", input),
  shapes.fails("CertificateValid", "HostNotGiven", input),
}
