---Waits until PostgreSQL has started and recovered. Or, with RowFound, until a query gives a row; with RowGone, until none.
---PostgreSQL is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited. With listen, the query is
---also sent when a NOTIFY of that channel comes, for which a connection stays open.
---
---    bide run postgres 'postgres://db/?sslmode=verify-full&sslrootcert=ca.pem' --max-wait 1m
---    bide run postgres postgres:///shop?host=/run/postgresql --max-wait 1m
---    bide run postgres RowFound postgres://app@db/shop 'SELECT 1 FROM jobs WHERE done' listen=jobs --max-wait 1h
---    bide run postgres RowFound postgres://app@db/shop password=@env:PGPASSWORD 'SELECT 1 FROM jobs' --max-wait 1m
---
---Once logged in, PostgresReady sends a query (SELECT 1), which a pooler such as PgBouncer cannot answer itself. Without a
---password, PostgreSQL is ready once it asks for one; behind a pooler, that says something about the pooler alone. A wrong
---password, or a role or database that does not exist, is a failure. A query may name a table that is yet to come; a
---statement that gives no rows, such as CREATE TABLE, is a failure.

local acceptor = require "bide.acceptor"
local bide = require "bide"
local expect = require "bide.expect"
local postgres = require "bide.postgres"
local service = require "bide.service"

---Transient: it starts or ends, is full, a table is to come, or a pooler has no server (08P01 of PgBouncer, 08006 of others).
local operation = service {
  port = 5432,
  schemes = { "postgres", "postgresql" },
  tls = true,
  parameters = postgres.parameters,
  harmless = {
    "application_name", "fallback_application_name", "client_encoding", "connect_timeout", "keepalives", "keepalives_idle",
    "keepalives_interval", "keepalives_count", "tcp_user_timeout", "sslcompression",
  },
  url = {
    example = "postgres://app@db/shop",
    documentation = "postgres://USER:PASSWORD@HOST:PORT/DATABASE?sslmode=MODE, or HOST:PORT. For a unix socket its folder: "
      .. "/run/postgresql, or postgres:///DATABASE?host=/run/postgresql.",
  },
  folders = true,
  inputs = {
    sslmode = {
      type = "string", values = { "disable", "prefer", "require", "verify-ca", "verify-full" },
      documentation =
        "How TLS is used, as in the URL (sslmode, sslrootcert, sslcert, sslkey). Default: prefer, or verify-full with ca.",
    },
    require_auth = {
      type = "string", example = "scram-sha-256",
      documentation = "The proof that the server must ask for, as in libpq (scram-sha-256, !none). Default: any; a note says if "
        .. "there was none.",
    },
    database = { type = "string", documentation = "The database. Default: the one with the role's name." },
  },
  failures = { "28P01", "3D000", "28000", "42601" },
  transient = { "57P03", "57P01", "57P02", "53300", "42P01", "08P01", "08006", "08001", "UnexpectedAnswer", "UnexpectedValue" },
}

local function prepare(target, input, wait)
  local request = {
    host = target.host, port = target.port, user = target.user, password = target.password,
    database = input.database or target.path ~= "" and target.path or nil, timeout = target.timeout,
    query = input.query, sslmode = input.sslmode, require_auth = input.require_auth, tls = target.tls,
    parameters = target.query or {},
  }
  local mistake = postgres.mistake(request)
  if mistake then return nil, mistake end
  return function()
    local found = postgres(request)
    expect.row(found.rows, found.columns, found.row, wait)
    return found
  end
end

-- ---- notifications ------------------------------------------------------------------------------

local INTERVAL = 25 -- seconds between two questions whether the server is there

---Returns the options of the session that hears of notifications. Its own rules hold for proofs and for TLS.
local function options_of(target, input, notify)
  local of_url = target.query or {}
  local certificate = input.certificate or of_url.sslcert
  return {
    host = target.host, port = target.port, user = target.user, password = target.password,
    dbname = input.database or target.path ~= "" and target.path or nil,
    sslmode = input.sslmode or of_url.sslmode or (input.ca and "verify-full" or "prefer"),
    sslrootcert = input.ca or of_url.sslrootcert, sslcert = certificate, sslkey = input.key or of_url.sslkey,
    require_auth = input.require_auth or of_url.require_auth, connect_timeout = input.timeout, notify = notify,
  }
end

---Raises the failure of a session.
local function of_session(result, failure)
  return result or error({ type = failure.type, message = failure.message }, 0)
end

---Wakes the wait by the notifications of a channel. Polls stay as they are: rows may come without one.
local function watch(target, input, wake)
  if not input.listen then return false end
  local sessions = require "bide.postgres.session" -- the sandbox does not give it out
  local session <close> = of_session(sessions.open(options_of(target, input, function() wake() end)))
  of_session(session:query('LISTEN "' .. input.listen:gsub('"', '""') .. '"'))
  wake()
  local silence
  bide.spawn(function()
    repeat
      bide.sleep(INTERVAL)
      silence = select(2, session:query "SELECT 1")
    until silence
    session:close()
  end)
  local ending = session:await_end()
  of_session(nil, silence or ending)
end

return {
  Connect = operation {
    prepare = prepare,
    fact = "'the server accepts connections'",
    default = "PostgresReady",
    waitable = {
      PostgresReady = {
        documentation = "Waits until PostgreSQL accepts queries.",
        countsAsReady =
          "the server answers SELECT 1 with a row; without a password, it may ask for one (a pooler does so by itself)",
        acceptors = { acceptor.success() },
      },
    },
  },
  Query = operation {
    prepare = prepare,
    witness = expect.confirm_row,
    output = {
      answer = { type = "string" },
      version = { type = "string" },
      rows = { type = "integer" },
      columns = { type = "integer" },
      row = { type = "object" },
    },
    watch = watch,
    inputs = {
      listen = { type = "string", example = "jobs", documentation = "A channel whose notifications bring the query forward." },
      query = {
        type = "string", asks = true, required = true, positional = 2, example = "SELECT 1 FROM jobs",
        documentation = "The query. A single value that is false, 0, empty or NULL, as of EXISTS and count(*), is no row.",
      },
    },
    waitable = {
      RowFound = {
        documentation = "Waits until a query gives a row.",
        countsAsReady = "the server answers the query with a row, which is not a single value that is false, 0, empty or NULL",
        opposite = "RowGone",
        acceptors = { acceptor.output("success", "rows > `0`") },
      },
      RowGone = {
        documentation = "Waits until a query gives no row.",
        countsAsGone = "each address answers the query with columns and no row, as the role sees the table, which must exist",
        acceptors = { acceptor.output("success", "rows == `0`") },
      },
    },
  },
}
