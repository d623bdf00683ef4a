---Waits until PostgreSQL accepts queries. It has then started and, if necessary, recovered, which may be long after its
---port is open.
---PostgreSQL is near, and a poll is cheap: the delays are 50 ms to 250 ms.
---
---    bide run postgres db --max-wait 1m
---    bide run postgres postgres://app@db:5433/shop password=@env:PGPASSWORD --max-wait 1m
---    bide run postgres 'postgres://db/?sslmode=verify-full&sslrootcert=ca.pem' --max-wait 1m
---
---Without a password, PostgreSQL is ready once it asks for one. A wrong password, or a role or database that does not
---exist, is a failure.

local acceptor, address, postgres = require "bide.acceptor", require "bide.address", require "bide.postgres"
local tls = require "bide.tls"
local port, forms = 5432, { schemes = { "postgres", "postgresql" } }

local function request(input)
  local target = assert(address.of(input, port, forms))
  return { host = target.host, port = target.port, user = target.user, password = target.password,
    database = input.database or target.path ~= "" and target.path or nil, timeout = input.timeout,
    sslmode = input.sslmode, tls = tls.options(input), parameters = target.query or {} }
end
local function mistake(input) return address.check(port, forms)(input) or postgres.mistake(request(input)) end

---Starting or shutting down; every connection taken. A proxy that has no server yet closes without a word.
local starting = acceptor.transient("57P03", "57P01", "57P02", "53300", "UnexpectedAnswer")

return { Connect = { call = function(input) return postgres(request(input)) end, check = tls.check(mistake),
  input = tls.inputs(address.url_inputs({ url = { type = "string", positional = 1, example = "postgres://app@db/shop",
    documentation = "postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=MODE, or HOST:PORT." },
  sslmode = { type = "string", values = { "disable", "prefer", "require", "verify-ca", "verify-full" }, documentation =
    "How TLS is used, as in the URL (sslmode, sslrootcert, sslcert, sslkey). Default: prefer, or verify-full with ca." },
  database = { type = "string", documentation = "The database. Default: the one with the role's name." } }, port)),
waitable = { PostgresReady = { documentation = "Waits until PostgreSQL accepts queries.", minDelay = 0.05, maxDelay = 0.25,
  acceptors = { acceptor.success(), acceptor.error("failure", "28P01"), acceptor.error("failure", "3D000"),
    acceptor.error("failure", "28000"), starting } } } } }
