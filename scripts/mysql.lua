---Waits until MySQL or MariaDB accepts queries. Or, with RowFound, until a query gives a row; with RowGone, until none.
---The server is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run mysql db --max-wait 1m
---    bide run mysql mysql://app@db/shop password=@env:PASSWORD --max-wait 1m
---    bide run mysql 'mysql://app@localhost/shop?socket=/run/mysqld/mysqld.sock' --max-wait 1m
---    bide run mysql 'mysql://app@db/shop?ssl-mode=VERIFY_IDENTITY&ssl-ca=ca.pem' password=@env:PASSWORD --max-wait 1m
---    bide run mysql RowFound mysql://app@db/shop password=@env:PASSWORD query='SELECT 1 FROM migrated' --max-wait 5m
---
---Once logged in, MysqlReady sends a query (SELECT 1), which a node of Galera refuses until it has joined its cluster.
---Without a password, the server is ready once it refuses the user; behind a proxy, that says something about the proxy
---alone. A wrong password, or no such database, is a failure, and so is a statement that gives no rows. The password itself
---is sent only over TLS with a verified certificate, or with insecure=true; the proofs of it go over any connection.

local acceptor = require "bide.acceptor"
local expect = require "bide.expect"
local mysql = require "bide.mysql"
local service = require "bide.service"
local url = require "bide.mysql.url"

local forms = url.forms()

---Transient: every connection is taken, a node has not joined its cluster, a table is to come.
local operation = service {
  port = url.PORT,
  schemes = forms.schemes,
  tls = true,
  parameters = forms.parameters,
  harmless = forms.harmless,
  url = {
    example = "mysql://app@db/shop",
    documentation = "mysql://USER:PASSWORD@HOST:PORT/DATABASE?ssl-mode=MODE&socket=PATH, or HOST:PORT.",
  },
  inputs = {
    database = { type = "string", documentation = "The database. Default: none." },
    tls = { type = "boolean", documentation = "Whether TLS is used. Default: by the URL (ssl-mode, ssl-ca), or with ca." },
  },
  failures = { "28000", "42000" },
  transient = { "08004", "08S01", "42S02", "UnexpectedAnswer", "UnexpectedValue" },
}

local function prepare(target, input, wait)
  local mistake = url.complete(target, input)
  if mistake then return nil, mistake end
  local request = {
    host = target.host, unix = target.unix, port = target.port, user = target.user, password = target.password,
    database = input.database or target.path ~= "" and target.path or nil, query = input.query,
    tls = target.tls, insecure = input.insecure, timeout = target.timeout,
  }
  return function()
    local found = mysql(request)
    expect.row(found.rows, found.columns, found.row, wait)
    return found
  end
end

return {
  Connect = operation {
    prepare = prepare,
    fact = "'the server accepts connections'",
    default = "MysqlReady",
    waitable = {
      MysqlReady = {
        documentation = "Waits until MySQL or MariaDB accepts queries.",
        countsAsReady =
          "the server answers SELECT 1 with a row; without a password, it may refuse the user (a proxy does so by itself)",
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
    inputs = {
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
        countsAsGone = "each address of the host answers the query with columns and no row; the table must exist",
        acceptors = { acceptor.output("success", "rows == `0`") },
      },
    },
  },
}
