---Waits until the system's resolver, or one name server, knows a name. Or, with NameGone, until it does not.
---A resolver is near, and serves others too: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run dns db.internal --max-wait 5m
---    bide run dns example.org type=MX expect='10 mail.example.org' server=10.0.0.53 --max-wait 1h
---    bide run dns NameGone old.example.org server=10.0.0.53 --max-wait 1h

local acceptor, dns = require "bide.acceptor", require "bide.dns"

local function check(input)
  if input.server or not input.port and not (input.type or "A"):find "[^A]" then return end
  return "server: expected a name server, found nothing: the system's resolver has addresses only"
end

local function ask(input)
  local how = { type = input.type, server = input.server, port = input.port, timeout = input.timeout }
  local found = dns(input.name, how)
  for _, answer in ipairs(found.answers) do
    if input.expect == nil or answer == input.expect then return found end
  end
  local answers = table.concat(found.answers, ", ")
  error { type = "UnexpectedValue", message = ("%s: expected %s, found %s"):format(input.name, input.expect, answers) }
end

local function waiter(documentation, opposite, known, unknown)
  return { documentation = documentation, opposite = opposite, minDelay = 0.05, maxDelay = 5, lateness = 0.05, acceptors = {
    acceptor.success(known), acceptor.error(unknown, "NameNotFound"), acceptor.error(unknown, "NoData"),
    acceptor.error(unknown, "UnexpectedValue"), acceptor.transient() } }
end

return { Ask = { call = ask, check = check, input = {
  name = { type = "string", required = true, positional = 1, example = "db.internal", documentation = "The name to ask for." },
  type = { type = "string", values = { "A", "AAAA", "CNAME", "MX", "NS", "PTR", "SRV", "TXT" }, documentation = "Of record." },
  expect = { type = "string", asks = true,
    documentation = "An answer to wait for: an address, a text, '10 mail.example.org' for MX." },
  server = { type = "string", documentation = "The name server to ask. Default: the system's resolver." },
  port = { type = "integer", minimum = 1, maximum = 65535, documentation = "Of the server. Default: 53." },
  timeout = { type = "duration", default = 10, documentation = "The time for one attempt." },
}, default = "NameKnown", waitable = { NameKnown = waiter("Waits until a name is known.", "NameGone", "success", "retry"),
  NameGone = waiter("Waits until a name is not known.", "NameKnown", "retry", "success") } } }
