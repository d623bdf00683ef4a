---Waits until an IMAP server greets and lists its capabilities, over TLS where that is asked for. No user is logged in.
---The server is near, and the question is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run imap mail --max-wait 1m
---    bide run imap mail:143 starttls=true ca=ca.pem --max-wait 1m
---    bide run imap imaps://mail --max-wait 1m
---
---A server that does not know these commands (BAD) is a failure.

local acceptor, address, imap = require "bide.acceptor", require "bide.address", require "bide.imap"
local tls = require "bide.tls"
local forms = { schemes = { "imap", "imaps" }, parameters = {} }

local function is_imaps(input) return input.host:find "^[iI][mM][aA][pP][sS]:" ~= nil end
local function port_of(input) return is_imaps(input) and 993 or 143 end

local function greet(input)
  local target, options = address.of(input, port_of(input), forms), tls.options(input, input.starttls or is_imaps(input))
  local found = imap { host = target.host, port = target.port, security = is_imaps(input) and "tls" or nil, tls = options,
    timeout = input.timeout }
  local capabilities = table.concat(found.capabilities, " ")
  if (" " .. capabilities:upper()):find(" IMAP4", 1, true) then return found end
  error { type = "InvalidAnswer", message = ("IMAP4 is not among the capabilities: %q"):format(capabilities) }
end

local inputs = tls.inputs(address.host_inputs {
  host = { type = "string", required = true, positional = 1, example = "mail:143",
    documentation = "HOST, HOST:PORT, or imaps://HOST for TLS from the first byte." },
  port = { type = "integer", positional = 2, minimum = 1, maximum = 65535, documentation = "Default: 143, or 993 of imaps." },
  starttls = { type = "boolean", documentation = "Whether STARTTLS has to work. Default: with ca, certificate and the like." } })
inputs.tls = nil -- the scheme or starttls says it

return { Greet = { call = greet, input = inputs, default = "ImapReady",
  check = tls.check(function(input) return address.check(port_of(input), forms)(input) end),
  waitable = { ImapReady = { documentation = "Waits until an IMAP server answers.",
    countsAsReady = "the server greets with OK or PREAUTH, and lists IMAP4 or a later version among its capabilities",
    minDelay = 0.05, maxDelay = 5, lateness = 0.05,
    acceptors = { acceptor.success(), acceptor.error("failure", "BAD"), acceptor.transient("BYE", "NO", "UnexpectedAnswer") },
} } } }
