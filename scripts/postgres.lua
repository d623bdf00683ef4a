---Waits until PostgreSQL has started and recovered. Or, with RowFound, until a query gives a row; RowGone: until none.
---PostgreSQL is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run postgres 'postgres://db/?sslmode=verify-full&sslrootcert=ca.pem' --max-wait 1m
---    bide run postgres RowFound postgres://app@db/shop password=@env:PGPASSWORD 'SELECT 1 FROM jobs' --max-wait 1m
---
---Once logged in, PostgresReady sends a query (SELECT 1), which a pooler such as PgBouncer cannot answer itself. Without a
---password, PostgreSQL is ready once it asks for one; behind a pooler, that says something about the pooler alone. A wrong
---password, or a role or database that does not exist, is a failure. A query may name a table that is yet to come; a
---statement that gives no rows, such as CREATE TABLE, is a failure.

local acceptor, address, postgres = require "bide.acceptor", require "bide.address", require "bide.postgres"
local tls = require "bide.tls"
local port, forms = 5432, { schemes = { "postgres", "postgresql" }, parameters = postgres.parameters, harmless = {
  "application_name", "fallback_application_name", "client_encoding", "connect_timeout", "keepalives", "keepalives_idle",
  "keepalives_interval", "keepalives_count", "tcp_user_timeout", "sslcompression" } }

local function request(input)
  local target = assert(address.of(input, port, forms))
  return { host = target.host, port = target.port, user = target.user, password = target.password,
    database = input.database or target.path ~= "" and target.path or nil, timeout = input.timeout,
    query = input.query, sslmode = input.sslmode, require_auth = input.require_auth, tls = tls.options(input),
    parameters = target.query or {} }
end

local function call(input)
  return postgres(request(input))
end

local check = tls.check(function(input)
  return address.check(port, forms)(input) or postgres.mistake(request(input))
end)

local function inputs(own)
  own.url = { type = "string", positional = 1, example = "postgres://app@db/shop",
    documentation = "postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=MODE, or HOST:PORT." }
  own.sslmode = { type = "string", values = { "disable", "prefer", "require", "verify-ca", "verify-full" }, documentation =
    "How TLS is used, as in the URL (sslmode, sslrootcert, sslcert, sslkey). Default: prefer, or verify-full with ca." }
  own.require_auth = { type = "string", example = "scram-sha-256", documentation =
    "The proof that the server must ask for, as in libpq (scram-sha-256, !none). Default: any; a note says if there was none." }
  own.database = { type = "string", documentation = "The database. Default: the one with the role's name." }
  return tls.inputs(address.url_inputs(own, port))
end

---Transient: it starts or ends, is full, a table is to come, or a pooler has no server (08P01 of PgBouncer, 08006 of others).
local function waiter(text, opposite, success, more)
  local definition = { documentation = text, opposite = opposite, minDelay = 0.05, maxDelay = 5, lateness = 0.05,
    acceptors = { success,
    acceptor.error("failure", "28P01"), acceptor.error("failure", "3D000"), acceptor.error("failure", "28000"),
    acceptor.error("failure", "42601"), acceptor.transient("57P03", "57P01", "57P02", "53300", "42P01", "08P01", "08006",
      "08001", "UnexpectedAnswer") } }
  for name, value in pairs(more) do definition[name] = value end
  return definition
end

return {
  Connect = { call = call, check = check, input = inputs {}, default = "PostgresReady", waitable = {
    PostgresReady = waiter("Waits until PostgreSQL accepts queries.", nil, acceptor.success(), { countsAsReady =
      "the server answers SELECT 1 with a row; without a password, it may ask for one (a pooler does so by itself)" }),
  } },
  Query = { call = call, check = check, input = inputs {
    query = { type = "string", asks = true, required = true, positional = 2, example = "SELECT 1 FROM jobs",
      documentation =
      "The query. SELECT count(*) gives a row whatever it counts: select what is counted." },
  }, waitable = {
    RowFound = waiter("Waits until a query gives a row.", "RowGone", acceptor.output("success", "rows > `0`"),
      { countsAsReady = "the server answers the query with a row" }),
    RowGone = waiter("Waits until a query gives no row.", "RowFound", acceptor.output("success", "rows == `0`"),
      { countsAsGone = "the server answers the query with columns and no row, as the role sees the table, which must exist" }),
  } },
}
