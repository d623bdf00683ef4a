---Waits until Cassandra, or another server of CQL, starts sessions.
---Cassandra is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run cassandra db1,db2:9042 --max-wait 5m
---    bide run cassandra cassandra://app@db password=@env:PASSWORD ca=ca.pem --max-wait 5m
---
---Without a user, a server that asks for a password is ready. A wrong password is a failure. Of several servers, the first
---that answers is believed.

local acceptor = require "bide.acceptor"
local address = require "bide.address"
local cassandra = require "bide.cassandra"
local service = require "bide.service"

local operation = service {
  port = 9042,
  schemes = { "cassandra", "cql" },
  tls = true,
  parameters = {},
  needs_user = true,
  urls = {
    example = "db1,db2:9042",
    documentation = "The servers, HOST:PORT,HOST:PORT, or cassandra://USER:PASSWORD@HOST:PORT.",
  },
  failures = { "BadCredentials" },
  transient = { "Overloaded", "IsBootstrapping", "ServerError", "UnexpectedAnswer" },
}

local function connect(target)
  return cassandra {
    host = target.host, port = target.port, user = target.user, password = target.password, tls = target.tls,
    timeout = target.timeout,
  }
end

return { Connect = operation {
  prepare = function(targets)
    return function() return address.ask_each(targets, connect) end
  end,
  fact = "'the server accepts connections'",
  waitable = {
    CassandraReady = {
      documentation = "Waits until Cassandra starts sessions.",
      countsAsReady = "a server answers STARTUP with READY or accepts the password; without a user, it may ask for one",
      acceptors = { acceptor.success() },
    },
  },
} }
