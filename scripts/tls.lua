---Waits until a server shows a valid certificate, with some days left. Or, with CertificateInvalid, until it does not.
---The server is near, and a handshake costs it a few milliseconds: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run tls cache:6380 ca=ca.pem --max-wait 1m
---    bide run tls example.org days=30 issuer="Let's Encrypt" --interval 1h --max-wait 1d
---    bide run tls CertificateInvalid example.org days=14 --interval 1h --max-wait 90d
---
---A certificate that has expired may be renewed. One for another host, or of an unknown authority, is a failure.

local acceptor, address, tls = require "bide.acceptor", require "bide.address", require "bide.tls"
local port, forms = 443, { schemes = { "https", "tls" } }

local function refuse(name, ...) error({ type = name, message = ("expected %s, found %s"):format(...) }, 0) end
local function inspect(input)
  local options, target = tls.options(input, true), address.of(input, port, forms)
  options.timeout = input.timeout
  local connection <close> = tls.connect({ host = target.host, port = target.port }, options)
  local peer = connection:peer()
  if peer.days_left < input.days then refuse("CertificateExpires", input.days .. " days left", peer.days_left) end
  local is_issuer = not input.issuer or peer.issuer:find(input.issuer, 1, true)
  return is_issuer and peer or refuse("UnexpectedIssuer", "the issuer " .. input.issuer, peer.issuer)
end

local inputs = tls.inputs(address.host_inputs {
  host = { type = "string", required = true, positional = 1, example = "cache:6380", documentation = "HOST:PORT or a URL." },
  port = { type = "integer", positional = 2, minimum = 1, maximum = 65535, documentation = "The port. Default: 443." },
  days = { type = "integer", asks = true, default = 0, documentation = "The days that it must have left." },
  issuer = { type = "string", asks = true, example = "Let's Encrypt",
    documentation = "A text that the issuer's name must contain." } })
inputs.tls = nil -- it always is

return { Inspect = { call = inspect, check = tls.check(address.check(port, forms)), input = inputs,
  default = "CertificateValid", waitable = {
  CertificateValid = { documentation = "Waits until a certificate is valid.", opposite = "CertificateInvalid",
    minDelay = 0.05, maxDelay = 5, lateness = 0.05,
      acceptors = { acceptor.success(), tls.acceptor("retry", "expired", "notYetValid"),
      acceptor.error("failure", "TlsFailure"), acceptor.transient("CertificateExpires", "UnexpectedIssuer") } },
  CertificateInvalid = { documentation = "Waits until a certificate is not valid.", opposite = "CertificateValid",
    minDelay = 0.05, maxDelay = 5, lateness = 0.05,
      acceptors = { tls.acceptor "success", acceptor.error("success", "CertificateExpires"),
      acceptor.error("success", "UnexpectedIssuer"), acceptor.success "retry", acceptor.transient() } },
} } }
