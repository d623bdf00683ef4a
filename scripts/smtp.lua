---Waits until a mail server takes mail: it greets, answers EHLO, and speaks TLS where that is asked for. It sends none.
---The server is near, and the question is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run smtp mail --max-wait 1m
---    bide run smtp mail:587 starttls=true ca=ca.pem --max-wait 1m
---    bide run smtp smtps://mail --max-wait 1m
---
---A server that takes no mail of this client (554) is a failure.

local acceptor, address, smtp = require "bide.acceptor", require "bide.address", require "bide.smtp"
local tls = require "bide.tls"
local forms = { schemes = { "smtp", "smtps" }, parameters = {} }

local function is_smtps(input) return input.host:find "^[sS][mM][tT][pP][sS]:" ~= nil end
local function port_of(input) return is_smtps(input) and 465 or 25 end

local function greet(input)
  local target, options = address.of(input, port_of(input), forms), tls.options(input, input.starttls or is_smtps(input))
  return smtp { host = target.host, port = target.port, security = is_smtps(input) and "tls" or nil, tls = options,
    name = input.name, timeout = input.timeout }
end

local inputs = tls.inputs(address.host_inputs {
  host = { type = "string", required = true, positional = 1, example = "mail:587",
    documentation = "HOST, HOST:PORT, or smtps://HOST for TLS from the first byte." },
  port = { type = "integer", positional = 2, minimum = 1, maximum = 65535, documentation = "Default: 25, or 465 of smtps." },
  starttls = { type = "boolean", documentation = "Whether STARTTLS has to work. Default: with ca, certificate and the like." },
  name = { type = "string", documentation = "The name by which bide introduces itself. Default: localhost." } })
inputs.tls = nil -- the scheme or starttls says it

return { Greet = { call = greet, input = inputs, default = "SmtpReady",
  check = tls.check(function(input) return address.check(port_of(input), forms)(input) end),
  waitable = { SmtpReady = { documentation = "Waits until a mail server takes mail.",
    countsAsReady = "the server greets with 220 and answers EHLO with 250, after the TLS handshake if there is one",
    minDelay = 0.05, maxDelay = 5, lateness = 0.05,
    acceptors = { acceptor.success(), acceptor.error("failure", "554"),
      acceptor.transient("421", "450", "451", "454", "UnexpectedAnswer") } } } } }
