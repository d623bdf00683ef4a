---Waits until a directory answers by LDAP. Or, with EntryExists, until an entry exists; with EntryGone, until it does not.
---The server is near, and the question is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run ldap directory --max-wait 1m
---    bide run ldap EntryExists ldaps://directory base=cn=app,dc=shop user=cn=reader,dc=shop password=@env:PW --max-wait 1m
---
---Without a user the bind is anonymous. Wrong credentials, and a server that requires more, are failures. A server also
---says that an entry does not exist if the user may not see it, or if the server has no such suffix; but then it names no
---entry above it, and EntryGone waits, unless `unseen=true`.

local acceptor = require "bide.acceptor"
local ldap = require "bide.ldap"
local service = require "bide.service"

---The scheme, or starttls, says whether TLS is used.
local operation = service {
  port = 389,
  tls_port = 636,
  schemes = { "ldap", "ldaps" },
  tls = "ldaps",
  parameters = {},
  host = {
    example = "directory", documentation = "HOST, HOST:PORT, or ldaps://HOST for TLS from the first byte.",
  },
  inputs = {
    port = { type = "integer", documentation = "Default: 389, or 636 of ldaps." },
    starttls = { type = "boolean", documentation = "Whether StartTLS is used. Default: with ca, certificate and the like." },
    user = { type = "string", documentation = "The name to bind as. Default: anonymous." },
    password = { type = "string", secret = true, documentation = "The password for it." },
    tls = false,
  },
  failures = { "InvalidCredentials", "ConfidentialityRequired", "StrongerAuthRequired" },
  transient = { "Busy", "Unavailable", "UnexpectedAnswer", "EntryUnseen" },
}

---Tells an entry that does not exist from one that may only be hidden.
local function prepare(target, input)
  local request = {
    host = target.host, port = target.port, security = target.scheme == "ldaps" and "tls" or nil, base = input.base,
    user = input.user, password = input.password, tls = target.tls, timeout = target.timeout,
  }
  return function()
    local ok, result = pcall(ldap, request)
    if ok then return result end
    if type(result) == "table" and result.type == "NoSuchObject" and not input.unseen and not result.is_above then
      result.type = "EntryUnseen"
      local named = result.matched and ("%q, which is not"):format(result.matched) or "none"
      result.message = ("the server finds no such entry, and names %s above it: the user may not see it, or the suffix is "
        .. "another one (unseen=true takes that for gone)"):format(named)
    end
    error(result, 0)
  end
end

local has_entry = "type(entry) == 'object'"

local output = {
  name = { type = "string" },
  entry = { type = "object" },
}

return {
  Read = operation {
    prepare = prepare,
    output = output,
    check = ldap.mistake,
    default = "LdapReady",
    waitable = {
      LdapReady = {
        documentation = "Waits until a directory answers.",
        countsAsReady = "the server accepts the bind, and gives its root entry, which the user may read",
        acceptors = {
          acceptor.output("success", has_entry),
          acceptor.error("retry", "NoSuchObject"),
          acceptor.success "retry",
        },
      },
    },
  },
  ReadEntry = operation {
    prepare = prepare,
    output = output,
    check = ldap.mistake,
    inputs = {
      base = {
        type = "string", required = true, example = "cn=app,dc=shop", documentation = "The name of the entry.",
        pattern = "^[^*]*$", expected = "the name of one entry, which is no pattern",
      },
      unseen = {
        type = "boolean", default = false,
        documentation =
          "Whether an entry counts as gone if the server names no entry above it, as for one that the user may not see.",
      },
    },
    waitable = {
      EntryExists = {
        documentation = "Waits until an entry exists.",
        countsAsReady = "a search of the base alone gives the entry, which the user may read",
        opposite = "EntryGone",
        acceptors = {
          acceptor.output("success", has_entry),
          acceptor.error("retry", "NoSuchObject"),
          acceptor.success "retry",
        },
      },
      EntryGone = {
        documentation = "Waits until an entry is gone.",
        countsAsGone = "the search of each address ends with noSuchObject, and names the nearest entry above (matchedDN)",
        acceptors = {
          acceptor.output("retry", has_entry),
          acceptor.error("success", "NoSuchObject"),
          acceptor.success "retry",
        },
      },
    },
  },
}
