---Waits until MySQL or MariaDB accepts queries. Or, with RowFound, until a query gives a row; with RowGone, until none.
---The server is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run mysql db --max-wait 1m
---    bide run mysql mysql://app@db/shop password=@env:PASSWORD --max-wait 1m
---    bide run mysql 'mysql://app@db/shop?ssl-mode=VERIFY_IDENTITY&ssl-ca=ca.pem' password=@env:PASSWORD --max-wait 1m
---    bide run mysql RowFound mysql://app@db/shop password=@env:PASSWORD query='SELECT 1 FROM migrated' --max-wait 5m
---
---Once logged in, MysqlReady sends a query (SELECT 1), which a node of Galera refuses until it has joined its cluster.
---Without a password, the server is ready once it refuses the user; behind a proxy, that says something about the proxy
---alone. A wrong password, or no such database, is a failure, and so is a statement that gives no rows. The password itself
---is sent only over TLS with a verified certificate, or with insecure=true; the proofs of it go over any connection.

local acceptor, address, mysql = require "bide.acceptor", require "bide.address", require "bide.mysql"
local tls, url = require "bide.tls", require "bide.mysql.url"

local function connect(input)
  local target = assert(url.read(input))
  return mysql { host = target.host, port = target.port, user = target.user, password = target.password,
    database = input.database or target.path ~= "" and target.path or nil, query = input.query,
    tls = target.tls, insecure = input.insecure, timeout = input.timeout }
end

local function inputs(own)
  own.url = { type = "string", positional = 1, example = "mysql://app@db/shop",
    documentation = "mysql://USER:PASSWORD@HOST:PORT/DATABASE?ssl-mode=MODE, or HOST:PORT." }
  own.database = { type = "string", documentation = "The database. Default: none." }
  own.tls = { type = "boolean", documentation = "Whether TLS is used. Default: by the URL (ssl-mode, ssl-ca), or with ca." }
  return tls.inputs(address.url_inputs(own, url.PORT))
end

---Transient: every connection is taken, a node has not joined its cluster, a table is to come.
local function waiter(text, opposite, success, more)
  local definition = { documentation = text, opposite = opposite, minDelay = 0.05, maxDelay = 5, lateness = 0.05, acceptors = {
    success, acceptor.error("failure", "28000"), acceptor.error("failure", "42000"),
    acceptor.transient("08004", "08S01", "42S02", "UnexpectedAnswer") } }
  for name, value in pairs(more) do definition[name] = value end
  return definition
end

local check = tls.check(function(input) return select(2, url.read(input)) end)

return {
  Connect = { call = connect, check = check, input = inputs {}, default = "MysqlReady", waitable = {
    MysqlReady = waiter("Waits until MySQL or MariaDB accepts queries.", nil, acceptor.success(), { countsAsReady =
      "the server answers SELECT 1 with a row; without a password, it may refuse the user (a proxy does so by itself)" }),
  } },
  Query = { call = connect, check = check, input = inputs {
    query = { type = "string", asks = true, required = true, positional = 2, example = "SELECT 1 FROM jobs",
      documentation =
      "The query. SELECT count(*) gives a row whatever it counts: select what is counted." },
  }, waitable = {
    RowFound = waiter("Waits until a query gives a row.", "RowGone", acceptor.output("success", "rows > `0`"),
      { countsAsReady = "the server answers the query with a row" }),
    RowGone = waiter("Waits until a query gives no row.", "RowFound", acceptor.output("success", "rows == `0`"),
      { countsAsGone = "the server answers the query with columns and no row; the table must exist" }),
  } },
}
