---Waits until Cassandra, or another server of CQL, starts sessions.
---Cassandra is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run cassandra db1,db2:9042 --max-wait 5m
---    bide run cassandra cassandra://app@db password=@env:PASSWORD ca=ca.pem --max-wait 5m
---
---Without a user, a server that asks for a password is ready. A wrong password is a failure. Of several servers, the first
---that answers is believed.

local acceptor, address, cassandra = require "bide.acceptor", require "bide.address", require "bide.cassandra"
local tls = require "bide.tls"
local port, forms = 9042, { schemes = { "cassandra", "cql" }, parameters = {}, needs_user = true }

local function connect(input)
  return address.ask_each(address.read_list(input.url, port, forms), function(target)
    return cassandra { host = target.host, port = target.port, user = input.user or target.user,
      password = input.password or target.password, tls = tls.options(input), timeout = input.timeout }
  end)
end
return { Connect = { call = connect, check = tls.check(address.check_list("url", port, forms)),
  input = tls.inputs(address.list_inputs { url = { type = "string", required = true, positional = 1, example = "db1,db2:9042",
    documentation = "The servers, HOST:PORT,HOST:PORT, or cassandra://USER:PASSWORD@HOST:PORT." } }),
  waitable = { CassandraReady = { documentation = "Waits until Cassandra starts sessions.",
    countsAsReady = "a server answers STARTUP with READY or accepts the password; without a user, it may ask for one",
    minDelay = 0.05, maxDelay = 5, lateness = 0.05,
    acceptors = { acceptor.success(), acceptor.error("failure", "BadCredentials"),
      acceptor.transient("Overloaded", "IsBootstrapping", "ServerError", "UnexpectedAnswer") } } } } }
