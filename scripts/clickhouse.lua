---Waits until ClickHouse answers over HTTP. Or, with RowFound, until a query gives a row; with RowGone, until it gives
---none.
---ClickHouse is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run clickhouse localhost:8123 --max-wait 1m
---    bide run clickhouse RowFound localhost:8123 'SELECT 1 FROM jobs WHERE done' user=@env:CLICKHOUSE --max-wait 5m
---
---user is `name:password`. The query may only read, as ClickHouse has it for GET. Missing tables and databases may come.

local acceptor = require "bide.acceptor"
local expect = require "bide.expect"
local http = require "bide.http"
local service = require "bide.service"

local operation = service {
  http = "localhost:8123",
  failures = { "AUTHENTICATION_FAILED", "SYNTAX_ERROR" },
  transient = { "UNKNOWN_TABLE", "UNKNOWN_DATABASE", "UnexpectedValue" },
}

---Old versions give the number of an exception alone: "Code: 60, e.displayText() = DB::Exception: Why., e.what() = …".
local names = {
  ["60"] = "UNKNOWN_TABLE", ["62"] = "SYNTAX_ERROR", ["81"] = "UNKNOWN_DATABASE", ["192"] = "AUTHENTICATION_FAILED",
  ["193"] = "AUTHENTICATION_FAILED", ["194"] = "AUTHENTICATION_FAILED", ["516"] = "AUTHENTICATION_FAILED",
}

---The format JSON of ClickHouse has the columns and the number of rows beside the rows, which are objects, or lists in
---JSONCompact.
local FOUND = "exception || type(data) == 'array' && type(meta[0].name) == 'string' && length(data) == rows "
  .. "&& length(data) == length(data[?type(@) == 'object' || type(@) == 'array'])"

---Returns an answer, if it is one of ClickHouse, and raises the exception in any other.
local function read(response, is_query)
  local found = is_query and response.ok and http.find(response, FOUND, "ClickHouse")
  if found == true or response.ok and response.body:find "^Ok%.%s*$" then return response end
  local code, words = response.body:match "Code: (%d+).-DB::Exception: ([^\n]*)"
  local name = names[code] or words and words:match "%(([A-Z_]+)%)"
  error(name and { type = name, message = words, status = response.status } or response:operation_error()
    or { type = "InvalidAnswer", message = "this is not an answer of ClickHouse" })
end

---@param address string? the one to ask
local function prepare_query(input, query, address)
  local request = http.request_of(input, "/", { query = query, default_format = "JSON" })
  request.address = address
  local send = http.prepare(request)
  return function() return read(send(), true) end
end

---A question for one row, which every ClickHouse has, and other programs do not.
local function prepare_one(input, address)
  local ask = prepare_query(input, "SELECT 1", address)
  return function()
    if #ask():json().data == 1 then return true end
    error({ type = "InvalidAnswer", message = "SELECT 1 has not given one row" }, 0)
  end
end

local function has_no_row(found)
  return type(found) == "userdata" and #found:json().data == 0
end

---A replica that is behind, or ahead, may have the row.
local function prepare_rows(input, wait)
  local ask = http.until_found(http.request_of(input), function(address)
    return prepare_query(input, input.query, address)
  end, has_no_row)
  return function()
    local response = ask()
    local found = response:json()
    expect.row(#found.data, #found.meta, found.data[1], wait)
    return response
  end
end

---Refuses a row that always comes, which a condition of --fail has seen before, and no rows from another program.
local function confirm_rows(context, wait)
  local found = context.output
  if found and #found.data > 0 then
    if not wait or wait.own_success then expect.row(#found.data, #found.meta, found.data[1]) end
    return true
  end
  return http.at_each_address(http.request_of(context.input), function(address) return prepare_one(context.input, address)() end)
end

---Other programs may answer a ping, too: the query is the proof. Without a user, ClickHouse may refuse it.
local function prepare_ping(input)
  local request, get_one = http.request_of(input, "/ping"), prepare_one(input)
  local ping, url = http.prepare(request), request.url
  local has_user = input.user or input.bearer or input.headers or url:find "^%a+://[^/?#]*@" or url:find "[?&]user="
  return function()
    local answer = read(ping()).body:match "^%C*"
    local ok, failure = pcall(get_one)
    if ok then return { answer = answer } end
    if has_user or type(failure) ~= "table" or failure.type ~= "AUTHENTICATION_FAILED" then error(failure, 0) end
    return { answer = answer, credentialsWanted = true }
  end
end

return {
  Ping = operation {
    prepare = prepare_ping,
    fact = "'the server answers'",
    default = "ClickhouseReady",
    waitable = {
      ClickhouseReady = {
        documentation = "Waits until ClickHouse answers.",
        countsAsReady =
          "/ping answers Ok., and SELECT 1 gives ClickHouse's JSON; without a user, its AUTHENTICATION_FAILED counts too",
        acceptors = { acceptor.success() },
      },
    },
  },
  Query = operation {
    prepare = prepare_rows,
    witness = confirm_rows,
    inputs = {
      query = {
        type = "string", asks = true, required = true, positional = 2, example = "SELECT 1 FROM jobs",
        documentation = "The query. A single value that is false, 0, empty or NULL, as of EXISTS and count(*), is no row.",
      },
    },
    waitable = {
      RowFound = {
        documentation = "Waits until a query gives a row.",
        countsAsReady = "the query gives ClickHouse's JSON with a row, not a single value that is false, 0, empty or NULL",
        opposite = "RowGone",
        acceptors = { acceptor.output("success", "length(data) > `0`") },
      },
      RowGone = {
        documentation = "Waits until a query gives no row.",
        countsAsGone = "each address gives ClickHouse's JSON with the query's columns and no row, no exception, and one row of "
          .. "SELECT 1",
        acceptors = { acceptor.output("success", "length(data) == `0`") },
      },
    },
  },
}
