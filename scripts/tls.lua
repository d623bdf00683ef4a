---Waits until a server shows a valid certificate, with some days left. Or, with CertificateInvalid, until it does not.
---The server is near, and a handshake costs it a few milliseconds: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run tls cache:6380 ca=ca.pem --max-wait 1m
---    bide run tls example.org days=30 issuer="Let's Encrypt" --interval 1h --max-wait 1d
---    bide run tls CertificateInvalid example.org days=14 --interval 1h --max-wait 90d
---
---The days left are those of the certificate that expires first of all that make it trusted: the server's own, those
---between, and that of the authority. A certificate that has expired may be renewed. One for another host, or of an unknown
---authority, is a failure. It says nothing of the server where bide does not know the authority (ca), or, for an address
---without a name, the host (server_name): that is a failure of CertificateInvalid too.

local acceptor = require "bide.acceptor"
local address = require "bide.address"
local tls = require "bide.tls"

local PORT = 443

local forms = { schemes = { "https", "tls" } }

local function refuse(name, ...)
  error({ type = name, message = ("expected %s, found %s"):format(...) }, 0)
end

local function is_address(host)
  return host:find ":" ~= nil or host:find "^%d+%.%d+%.%d+%.%d+$" ~= nil
end

---Returns what the input lacks, so that a certificate may be refused for that alone.
---@param problem any that of the error
---@return string? type_of_error
---@return string? words
local function lack_of(problem, input, host)
  if problem == "authority" and not input.ca then
    return "AuthorityNotGiven", "give ca if the authority is one of your own"
  end
  if problem == "host" and not input.server_name and is_address(host) then
    return "HostNotGiven", "give server_name, the name that the certificate is for"
  end
end

---Connects, and raises the failure under another name if the input lacks what it would need.
local function connect(input, target, options)
  local ok, connection = pcall(tls.connect, target, options)
  if ok then return connection end
  local failure = connection
  local kind, words
  if type(failure) == "table" then kind, words = lack_of(failure.problem, input, target.host) end
  if kind then failure.type, failure.message = kind, ("%s: %s"):format(failure.message, words) end
  error(failure, 0)
end

local function prepare(input)
  local found, mistake = address.of(input, PORT, forms)
  if not found then return nil, mistake end
  local target, options = { host = found.host, port = found.port }, tls.options(input, true)
  options.timeout = input.timeout
  return function()
    local connection <close> = connect(input, target, options)
    local peer = connection:peer()
    local first = peer.first_to_expire
    if first.days_left < input.days then
      local whose = first.fingerprint == peer.fingerprint and "" or (" of the certificate of %s"):format(first.subject)
      refuse("CertificateExpires", input.days .. " days left", first.days_left .. whose)
    end
    local is_issuer = not input.issuer or peer.issuer:find(input.issuer, 1, true)
    return is_issuer and peer or refuse("UnexpectedIssuer", "the issuer " .. input.issuer, peer.issuer)
  end
end

local inputs = tls.inputs(address.host_inputs {
  host = { type = "string", required = true, positional = 1, example = "cache:6380", documentation = "HOST:PORT or a URL." },
  port = { type = "integer", positional = 2, minimum = 1, maximum = 65535, documentation = "The port. Default: 443." },
  days = {
    type = "integer", asks = true, default = 0,
    documentation = "The days that the certificates must have left.",
  },
  issuer = {
    type = "string", asks = true, example = "Let's Encrypt",
    documentation = "A text that the issuer's name must contain.",
  },
})
inputs.tls = nil -- it always is

return { Inspect = {
  prepare = prepare,
  fact = "join('', ['the certificate has ', to_string(first_to_expire.days_left), ' days left'])",
  check = tls.check(address.check(PORT, forms)),
  input = inputs,
  default = "CertificateValid",
  waitable = {
    CertificateValid = {
      documentation = "Waits until a certificate is valid.",
      countsAsReady = "a handshake with a certificate that is trusted for the host; all of its chain has the days left",
      opposite = "CertificateInvalid",
      minDelay = 0.05, maxDelay = 5, lateness = 0.05,
      acceptors = {
        acceptor.success(),
        tls.acceptor("retry", "expired", "notYetValid"),
        acceptor.error("failure", "TlsFailure"),
        acceptor.error("failure", "AuthorityNotGiven"),
        acceptor.error("failure", "HostNotGiven"),
        acceptor.transient("CertificateExpires", "UnexpectedIssuer"),
      },
    },
    CertificateInvalid = {
      documentation = "Waits until a certificate is not valid.",
      countsAsGone = "a certificate that is refused (expired, for another host, of no authority of ca), has too few days left, "
        .. "or another issuer",
      opposite = "CertificateValid",
      minDelay = 0.05, maxDelay = 5, lateness = 0.05,
      acceptors = {
        acceptor.error("failure", "AuthorityNotGiven"),
        acceptor.error("failure", "HostNotGiven"),
        tls.acceptor "success",
        acceptor.error("success", "CertificateExpires"),
        acceptor.error("success", "UnexpectedIssuer"),
        acceptor.success "retry",
        acceptor.transient(),
      },
    },
  },
} }
