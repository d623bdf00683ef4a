---Waits until PostgreSQL accepts queries. It has then started and, if necessary, recovered, which may be long after its
---port is open.
---PostgreSQL is near, and a poll is cheap: the delays are 50 ms to 250 ms.
---
---    bide run postgres db --max-wait 1m
---    bide run postgres postgres://app@db:5433/shop password=@env:PGPASSWORD --max-wait 1m
---
---Without a password, PostgreSQL is ready once it asks for one. A wrong password, or a role or database that does not
---exist, is a failure.

local acceptor, address, postgres = require "bide.acceptor", require "bide.address", require "bide.postgres"

local port, forms = 5432, { schemes = { "postgres", "postgresql" } }

local function connect(input)
  local target = address.of(input, port, forms)
  return postgres { host = target.host, port = target.port, user = target.user, password = target.password,
    database = input.database or target.path ~= "" and target.path or nil, timeout = input.timeout }
end

---Starting or shutting down; every connection taken. A proxy that has no server yet closes without a word.
local starting = acceptor.transient("57P03", "57P01", "57P02", "53300", "UnexpectedAnswer")

return { Connect = { call = connect, check = address.check(port, forms), input = {
  url = { type = "string", positional = 1, example = "postgres://app@db/shop",
    documentation = "postgres://USER:PASSWORD@HOST:PORT/DATABASE, or HOST:PORT. Its parameters are ignored." },
  host = { type = "string", documentation = "HOST or HOST:PORT, in place of url." },
  port = { type = "integer", minimum = 1, maximum = 65535, documentation = "The port. Default: 5432." },
  user = { type = "string", documentation = "The role. Default: postgres." },
  password = { type = "string", secret = true, documentation = "The role's password." },
  database = { type = "string", documentation = "The database. Default: the one with the role's name." },
  timeout = { type = "duration", default = 10, documentation = "The time for one attempt." },
}, waitable = {
  PostgresReady = { documentation = "Waits until PostgreSQL accepts queries.", minDelay = 0.05, maxDelay = 0.25,
    acceptors = { acceptor.success(), acceptor.error("failure", "28P01"), acceptor.error("failure", "3D000"),
      acceptor.error("failure", "28000"), starting } },
} } }
