---Waits until a mail server takes mail: it greets, answers EHLO, and speaks TLS where that is asked for. It sends none.
---The server is near, and the question is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run smtp mail --max-wait 1m
---    bide run smtp mail:587 starttls=true ca=ca.pem --max-wait 1m
---    bide run smtp smtps://mail --max-wait 1m
---
---A server that takes no mail of this client (554) is a failure.

local acceptor = require "bide.acceptor"
local smtp = require "bide.smtp"
local service = require "bide.service"

---The scheme, or starttls, says whether TLS is used.
local operation = service {
  port = 25,
  tls_port = 465,
  schemes = { "smtp", "smtps" },
  tls = "smtps",
  parameters = {},
  host = { example = "mail:587", documentation = "HOST, HOST:PORT, or smtps://HOST for TLS from the first byte." },
  inputs = {
    port = {
      type = "integer", positional = 2, minimum = 1, maximum = 65535, documentation = "Default: 25, or 465 of smtps.",
    },
    starttls = {
      type = "boolean", documentation = "Whether STARTTLS has to work. Default: with ca, certificate and the like.",
    },
    name = { type = "string", documentation = "The name by which bide introduces itself. Default: localhost." },
    tls = false,
  },
  failures = { "554" },
  transient = { "421", "450", "451", "454", "UnexpectedAnswer" },
}

local function prepare(target, input)
  local request = {
    host = target.host, port = target.port, security = target.scheme == "smtps" and "tls" or nil, tls = target.tls,
    timeout = target.timeout, name = input.name,
  }
  return function() return smtp(request) end
end

return { Greet = operation {
  prepare = prepare,
  fact = "'the server greets'",
  default = "SmtpReady",
  waitable = {
    SmtpReady = {
      documentation = "Waits until a mail server takes mail.",
      countsAsReady = "the server greets with 220 and answers EHLO with 250, after the TLS handshake if there is one",
      acceptors = { acceptor.success() },
    },
  },
} }
