---Waits until the system's resolver, or one name server, knows a name. Or, with NameGone, until it does not.
---
---    bide run dns name=db.internal --max-wait 5m
---    bide run dns name=example.org type=MX expect='10 mail.example.org' server=10.0.0.53 --max-wait 1h
---    bide run dns NameGone name=old.example.org server=10.0.0.53 --max-wait 1h
---
---expect is an answer that must be present, or with NameGone absent: an address, a text, "10 mail.example.org" for MX,
---"0 5 5060 sip.example.org" for SRV. Without a server the type is A or AAAA. Also: port=53; timeout=5, the seconds for
---one attempt.

local acceptor, dns = require "bide.acceptor", require "bide.dns"
local check = require "bide.input" { required = { "name" }, optional = { "server", "expect" }, ports = { "port" },
  seconds = { "timeout" }, choices = { type = { "A", "AAAA", "CNAME", "MX", "NS", "PTR", "SRV", "TXT" } } }

local function ask(input)
  check(input)
  if not input.server and (input.port or (input.type or "A"):find "[^A]") then
    error { type = "InvalidInput", message = "the input server is missing: the system's resolver has addresses only" }
  end
  local how = { type = input.type, server = input.server, port = input.port, timeout = input.timeout }
  local found = dns(input.name, how)
  for _, answer in ipairs(found.answers) do
    if input.expect == nil or answer == input.expect then return found end
  end
  local answers = table.concat(found.answers, ", ")
  error { type = "UnexpectedValue", message = ("%s: expected %s, found %s"):format(input.name, input.expect, answers) }
end

local function waiter(documentation, known, unknown)
  return { documentation = documentation, minDelay = 1, maxDelay = 30, acceptors = {
    acceptor.success(known), acceptor.error(unknown, "NameNotFound"), acceptor.error(unknown, "NoData"),
    acceptor.error(unknown, "UnexpectedValue"), acceptor.transient(),
  } }
end

return { Ask = { call = ask, default = "NameKnown", waitable = {
  NameKnown = waiter("Waits until a name is known.", "success", "retry"),
  NameGone = waiter("Waits until a name is not known.", "retry", "success"),
} } }
