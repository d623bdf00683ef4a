---Waits until an IMAP server greets and lists its capabilities, over TLS where that is asked for. No user is logged in.
---The server is near, and the question is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run imap mail --max-wait 1m
---    bide run imap mail:143 starttls=true ca=ca.pem --max-wait 1m
---    bide run imap imaps://mail --max-wait 1m
---
---A server that does not know these commands (BAD) is a failure.

local acceptor = require "bide.acceptor"
local imap = require "bide.imap"
local service = require "bide.service"

---The scheme, or starttls, says whether TLS is used.
local operation = service {
  port = 143,
  tls_port = 993,
  schemes = { "imap", "imaps" },
  tls = "imaps",
  parameters = {},
  host = { example = "mail:143", documentation = "HOST, HOST:PORT, or imaps://HOST for TLS from the first byte." },
  inputs = {
    port = {
      type = "integer", positional = 2, minimum = 1, maximum = 65535, documentation = "Default: 143, or 993 of imaps.",
    },
    starttls = {
      type = "boolean", documentation = "Whether STARTTLS has to work. Default: with ca, certificate and the like.",
    },
    tls = false,
  },
  failures = { "BAD" },
  transient = { "BYE", "NO", "UnexpectedAnswer" },
}

local function prepare(target)
  local request = {
    host = target.host, port = target.port, security = target.scheme == "imaps" and "tls" or nil, tls = target.tls,
    timeout = target.timeout,
  }
  return function()
    local found = imap(request)
    local capabilities = table.concat(found.capabilities, " ")
    if (" " .. capabilities:upper()):find(" IMAP4", 1, true) then return found end
    error { type = "InvalidAnswer", message = ("IMAP4 is not among the capabilities: %q"):format(capabilities) }
  end
end

return { Greet = operation {
  prepare = prepare,
  fact = "'the server greets'",
  default = "ImapReady",
  waitable = {
    ImapReady = {
      documentation = "Waits until an IMAP server answers.",
      countsAsReady = "the server greets with OK or PREAUTH, and lists IMAP4 or a later version among its capabilities",
      acceptors = { acceptor.success() },
    },
  },
} }
