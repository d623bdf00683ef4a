---Waits until ClickHouse answers over HTTP. Or, with RowFound, until a query gives a row; with RowGone, until it gives
---none.
---ClickHouse is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run clickhouse localhost:8123 --max-wait 1m
---    bide run clickhouse RowFound localhost:8123 'SELECT 1 FROM jobs WHERE done' user=@env:CLICKHOUSE --max-wait 5m
---
---user is `name:password`. The query may only read, as ClickHouse has it for GET. Missing tables and databases may come.

local acceptor, http = require "bide.acceptor", require "bide.http"

---Old versions give the number of an exception alone: "Code: 60, e.displayText() = DB::Exception: Why., e.what() = …".
local names = { ["60"] = "UNKNOWN_TABLE", ["62"] = "SYNTAX_ERROR", ["81"] = "UNKNOWN_DATABASE", ["516"] = "AUTHENTICATION_FAILED",
  ["192"] = "AUTHENTICATION_FAILED", ["193"] = "AUTHENTICATION_FAILED", ["194"] = "AUTHENTICATION_FAILED" }

---The format JSON of ClickHouse has the columns and the number of rows beside the rows.
local FOUND = "exception || type(data) == 'array' && type(meta) == 'array' && type(rows) == 'number'"

local function ask(input, path, query)
  local response = http.request(http.request_of(input, path, query))
  local found = query and response.ok and http.find(response, FOUND, "ClickHouse")
  if found == true or response.ok and response.body:find "^Ok%.%s*$" then return response end
  local code, words = response.body:match "Code: (%d+).-DB::Exception: ([^\n]*)"
  local name = names[code] or words and words:match "%(([A-Z_]+)%)"
  error(name and { type = name, message = words, status = response.status } or response:operation_error()
    or { type = "InvalidAnswer", message = "this is not an answer of ClickHouse" })
end

local function query(input)
  return ask(input, "/", { query = input.query or "SELECT 1", default_format = "JSON" })
end

---Other programs may answer a ping, too: the query is the proof. Without a user, ClickHouse may refuse it.
local function ping(input)
  local answer = ask(input, "/ping").body:match "^%C*"
  local ok, failure = pcall(query, input)
  local has_user = input.user or input.bearer or input.headers
  if ok then return { answer = answer } end
  if has_user or type(failure) ~= "table" or failure.type ~= "AUTHENTICATION_FAILED" then error(failure, 0) end
  return { answer = answer, credentialsWanted = true }
end

local function inputs(own) return http.service_inputs("localhost:8123", own) end
local function waiter(text, opposite, success, more)
  local definition = { documentation = text, opposite = opposite, minDelay = 0.05, maxDelay = 5, lateness = 0.05, acceptors = {
    success,
    acceptor.error("failure", "AUTHENTICATION_FAILED"), acceptor.error("failure", "SYNTAX_ERROR"),
    acceptor.transient("UNKNOWN_TABLE", "UNKNOWN_DATABASE") } }
  for name, value in pairs(more) do definition[name] = value end
  return definition
end

return { Ping = { call = ping, check = http.mistake, input = inputs {}, default = "ClickhouseReady",
  waitable = { ClickhouseReady = waiter("Waits until ClickHouse answers.", nil, acceptor.success(), { countsAsReady =
    "/ping answers Ok., and SELECT 1 gives ClickHouse's JSON; without a user, its AUTHENTICATION_FAILED counts too" }) },
}, Query = { call = query, check = http.mistake, input = inputs { query = { type = "string", asks = true, required = true,
  positional = 2, example = "SELECT 1 FROM jobs", documentation =
    "The query. SELECT count(*) gives a row whatever it counts: select what is counted." } }, waitable = {
  RowFound = waiter("Waits until a query gives a row.", "RowGone", acceptor.output("success", "length(data) > `0`"),
    { countsAsReady = "the query gives ClickHouse's JSON with a row" }),
  RowGone = waiter("Waits until a query gives no row.", "RowFound", acceptor.output("success", "length(data) == `0`"),
    { countsAsGone = "the query gives ClickHouse's JSON with its columns and no row, and no exception" }) } } }
