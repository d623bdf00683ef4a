---Waits until PostgreSQL accepts queries. It has then started and, if necessary, recovered, which may be long after its
---port is open.
---
---    bide run postgres host=db --max-wait 1m
---    bide run postgres host=db user=app password="$PASSWORD" database=shop --max-wait 1m
---
---Without a password, PostgreSQL is ready once it asks for one. A wrong password, or a role or database that does not
---exist, is a failure. Also: port=5432; timeout=5, the seconds for one attempt.

local acceptor, postgres = require "bide.acceptor", require "bide.postgres"
local check = require "bide.input" {
  required = { "host" }, optional = { "user", "password", "database" }, numbers = { "port", "timeout" },
}

local function connect(input)
  return postgres(check(input))
end

---Starting or shutting down; every connection taken. A proxy that has no server yet closes without a word.
local starting = acceptor.transient("57P03", "57P01", "57P02", "53300", "UnexpectedAnswer")

return { Connect = { call = connect, waitable = {
  PostgresReady = { documentation = "Waits until PostgreSQL accepts queries.", minDelay = 0.25, maxDelay = 5,
    acceptors = { acceptor.success(), acceptor.error("failure", "28P01"), acceptor.error("failure", "3D000"),
      acceptor.error("failure", "28000"), starting } },
} } }
