---Waits until PostgreSQL takes queries: it has started, and recovered where it had to, which may be long after its port is
---open.
---
---    bide run postgres host=db --max-wait 1m
---    bide run postgres host=db user=app password="$PASSWORD" database=shop --max-wait 1m
---
---Without a password that is so as soon as it asks for one; a wrong one, and a role or database that does not exist, are
---failures. Further inputs: port=5432; timeout=5, in seconds for one attempt.

local acceptor, postgres = require "bide.acceptor", require "bide.postgres"
local check = require "bide.input" {
  required = { "host" }, optional = { "user", "password", "database" }, numbers = { "port", "timeout" },
}

local function connect(input)
  return postgres(check(input))
end

---Starting or shutting down; every connection taken. A proxy that has no server yet closes without a word.
local starting = acceptor.passing("57P03", "57P01", "57P02", "53300", "UnexpectedAnswer")

return { Connect = { call = connect, waitable = {
  PostgresReady = { documentation = "Waits until PostgreSQL takes queries.", minDelay = 0.25, maxDelay = 5,
    acceptors = { acceptor.success(), acceptor.error("failure", "28P01"), acceptor.error("failure", "3D000"),
      acceptor.error("failure", "28000"), starting } },
} } }
