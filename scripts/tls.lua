---Waits until a server shows a valid certificate, with some days left. Or, with CertificateInvalid, until it does not.
---The server is near, and a handshake costs it a few milliseconds: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run tls cache:6380 ca=ca.pem --max-wait 1m
---    bide run tls example.org days=30 issuer="Let's Encrypt" --interval 1h --max-wait 1d
---    bide run tls CertificateInvalid example.org days=14 --interval 1h --max-wait 90d
---
---Each address of a name is asked. At an address of localhost that refuses the connection there is no server.
---
---The days left are those of the certificate that expires first of all that make it trusted: the server's own, those
---between, and that of the authority. A certificate that has expired may be renewed. One for another host, or of an unknown
---authority, is a failure. It says nothing of the server where bide does not know the authority (ca), or, for an address
---without a name, the host (server_name): that is a failure of CertificateInvalid too.

local acceptor = require "bide.acceptor"
local service = require "bide.service"
local tcp = require "bide.tcp"
local tls = require "bide.tls"

local operation = service {
  port = 443,
  schemes = { "https", "tls" },
  tls = true,
  host = { example = "cache:6380", documentation = "HOST:PORT or a URL." },
  inputs = {
    port = { type = "integer", positional = 2, minimum = 1, maximum = 65535, documentation = "The port. Default: 443." },
    days = {
      type = "integer", asks = true, default = 0,
      documentation = "The days that the certificates must have left.",
    },
    issuer = {
      type = "string", asks = true, example = "Let's Encrypt",
      documentation = "A text that the issuer's name must contain.",
    },
    tls = false, -- it always is
  },
  transient = { "CertificateExpires", "UnexpectedIssuer" },
}

---The system's words for an address to which this machine has no way.
local is_no_way = { ENETUNREACH = true, EADDRNOTAVAIL = true, EAFNOSUPPORT = true }

local function refuse(name, ...)
  error({ type = name, message = ("expected %s, found %s"):format(...) }, 0)
end

---Reports whether a host is an address: its last part is a number, as in `127.1` and `0x7f.1`, which the system takes too.
local function is_address(host)
  local last = host:match "[^.]*$"
  return host:find ":" ~= nil or last:find "^%d+$" ~= nil or last:find "^0[xX]%x*$" ~= nil
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

---Raises a failure of the system or of TLS, under another name if the input lacks what it would need.
local function fail(input, host, failure)
  local kind, words
  if type(failure) == "table" then kind, words = lack_of(failure.problem, input, host) end
  if kind then failure.type, failure.message = kind, ("%s: %s"):format(failure.message, words) end
  error(failure, 0)
end

---Shakes hands with each address of the host. One of a family to which this machine has no way counts if no other is left:
---the system names such addresses last.
---@return bide.tls.Peer[]
local function inspect(input, request, options)
  local peers = {}
  function request.talk(dialogue)
    peers[#peers + 1] = tls.start(dialogue, options):peer()
  end
  local ok, failure = pcall(tcp, request)
  if not ok and not (#peers > 0 and is_no_way[failure.code]) then fail(input, request.host, failure) end
  return peers
end

---Refuses a peer whose certificate is not the one that is waited for.
local function compare(input, peer)
  local first = peer.first_to_expire
  if first.days_left < input.days then
    local whose = first.fingerprint == peer.fingerprint and "" or (" of the certificate of %s"):format(first.subject)
    refuse("CertificateExpires", input.days .. " days left", first.days_left .. whose)
  end
  if input.issuer and not peer.issuer:find(input.issuer, 1, true) then
    refuse("UnexpectedIssuer", "the issuer " .. input.issuer, peer.issuer)
  end
end

local function prepare(target, input)
  local options = tls.options(input, true)
  return function()
    local request = { host = target.host, port = target.port, timeout = target.timeout, every_address = true }
    local peers = inspect(input, request, options)
    for _, peer in ipairs(peers) do compare(input, peer) end
    table.sort(peers, function(one, other) return one.first_to_expire.not_after < other.first_to_expire.not_after end)
    return peers[1]
  end
end

return { Inspect = operation {
  prepare = prepare,
  fact = "join('', ['the certificate has ', to_string(first_to_expire.days_left), ' days left'])",
  default = "CertificateValid",
  waitable = {
    CertificateValid = {
      documentation = "Waits until a certificate is valid.",
      countsAsReady = "a handshake with each address of the host, whose certificate is trusted for it; all of its chain "
        .. "has the days left",
      opposite = "CertificateInvalid",
      acceptors = {
        acceptor.success(),
        tls.acceptor("retry", "expired", "notYetValid"),
        acceptor.error("failure", "TlsFailure"),
        acceptor.error("failure", "AuthorityNotGiven"),
        acceptor.error("failure", "HostNotGiven"),
      },
    },
    CertificateInvalid = {
      documentation = "Waits until a certificate is not valid.",
      countsAsGone = "one address shows a certificate that is refused (expired, for another host, of no authority of ca), "
        .. "has too few days left, or another issuer",
      acceptors = {
        acceptor.error("failure", "AuthorityNotGiven"),
        acceptor.error("failure", "HostNotGiven"),
        tls.acceptor "success",
        acceptor.error("success", "CertificateExpires"),
        acceptor.error("success", "UnexpectedIssuer"),
        acceptor.success "retry",
      },
    },
  },
} }
