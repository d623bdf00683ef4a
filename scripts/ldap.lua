---Waits until a directory answers by LDAP. Or, with EntryExists, until an entry exists; with EntryGone, until it does not.
---The server is near, and the question is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run ldap directory --max-wait 1m
---    bide run ldap EntryExists ldaps://directory base=cn=app,dc=shop user=cn=reader,dc=shop password=@env:PW --max-wait 1m
---
---Without a user the bind is anonymous. Wrong credentials, and a server that requires more, are failures. A server says that
---an entry does not exist if the user may not see it, too, or if it has no such suffix; but then it names no entry above it.
---EntryGone waits while it does not, unless `unseen=true`.

local acceptor, address, ldap = require "bide.acceptor", require "bide.address", require "bide.ldap"
local tls = require "bide.tls"
local forms = { schemes = { "ldap", "ldaps" }, parameters = {} }
local base = { type = "string", required = true, example = "cn=app,dc=shop",
  documentation = "The name of the entry." }

local function is_ldaps(input) return input.host:find "^[lL][dD][aA][pP][sS]:" ~= nil end
local function port_of(input) return is_ldaps(input) and 636 or 389 end
local function read(input)
  local target = assert(address.of(input, port_of(input), forms))
  return ldap { host = target.host, port = target.port, security = is_ldaps(input) and "tls" or nil, base = input.base,
    user = input.user, password = input.password, timeout = input.timeout,
    tls = tls.options(input, input.starttls or is_ldaps(input)) }
end

---Tells an entry that does not exist from one that may only be hidden.
local function ask(input)
  local ok, result = pcall(read, input)
  if ok then return result end
  if type(result) == "table" and result.type == "NoSuchObject" and not result.matched and not input.unseen then
    result.type = "EntryUnseen"
    result.message = "the server finds no such entry, and names none above it: the user may not see it, or the suffix is "
      .. "another one (unseen=true takes that for gone)"
  end
  error(result, 0)
end

local function operation(entry, waiters)
  local inputs = tls.inputs(address.host_inputs { base = entry, host = { type = "string", required = true, positional = 1,
    example = "directory", documentation = "HOST, HOST:PORT, or ldaps://HOST for TLS from the first byte." },
    starttls = { type = "boolean", documentation = "Whether StartTLS is used. Default: with ca, certificate and the like." },
    user = { type = "string", documentation = "The name to bind as. Default: anonymous." },
    password = { type = "string", secret = true, documentation = "The password for it." } })
  if entry then
    inputs.unseen = { type = "boolean", default = false, documentation =
      "Whether an entry counts as gone if the server names no entry above it, as for one that the user may not see." }
  end
  inputs.tls, inputs.port = nil, { type = "integer", documentation = "Default: 389, or 636 of ldaps." }
  return { call = ask, input = inputs, waitable = waiters, default = not entry and "LdapReady" or nil,
    check = tls.check(function(input) return address.check(port_of(input), forms)(input) or ldap.mistake(input) end) }
end

local function waiter(text, opposite, found, missing, more)
  local definition = { documentation = text, opposite = opposite, minDelay = 0.05, maxDelay = 5, lateness = 0.05, acceptors = {
    acceptor.output(found, "type(entry) == 'object'"), acceptor.error(missing, "NoSuchObject"), acceptor.success "retry",
    acceptor.error("failure", "InvalidCredentials"), acceptor.error("failure", "ConfidentialityRequired"),
    acceptor.error("failure", "StrongerAuthRequired"),
    acceptor.transient("Busy", "Unavailable", "UnexpectedAnswer", "EntryUnseen") } }
  for name, value in pairs(more) do definition[name] = value end
  return definition
end

return {
  Read = operation(nil, {
    LdapReady = waiter("Waits until a directory answers.", nil, "success", "retry",
      { countsAsReady = "the server accepts the bind, and gives its root entry, which the user may read" }),
  }),
  ReadEntry = operation(base, {
    EntryExists = waiter("Waits until an entry exists.", "EntryGone", "success", "retry",
      { countsAsReady = "a search of the base alone gives the entry, which the user may read" }),
    EntryGone = waiter("Waits until an entry is gone.", "EntryExists", "retry", "success",
      { countsAsGone = "the search ends with noSuchObject, and names the nearest entry above (matchedDN)" }),
  }),
}
