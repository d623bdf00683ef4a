---Waits until Prometheus answers queries. Or, with ResultFound, until a query has a result: a target is up, a rate is
---below a bound; with ResultEmpty, until it has none: an alert does not fire.
---Prometheus is near, and a query takes some of its time: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run prometheus localhost:9090 --max-wait 1m
---    bide run prometheus ResultFound localhost:9090 query='up{job="web"} == 1' --max-wait 5m
---    bide run prometheus ResultEmpty localhost:9090 query='ALERTS{alertstate="firing"}' --max-wait 1h

local acceptor, address, http = require "bide.acceptor", require "bide.address", require "bide.http"
local server, headers = "localhost:9090", { type = "object", documentation = "Headers of the requests." }
local function get(input, path, query)
  local response = http.get(address.http(input.url) .. path, { query = query, headers = input.headers, timeout = input.timeout })
  return response.ok and response or error(response:operation_error())
end

local function find(input, query)
  local data = http.find(get(input, "/api/v1/query", { query = query }), "type(data.result) == 'array' && data", "Prometheus")
  if data.resultType == "vector" then return data.result end
  error { type = "InvalidInput", message = ("%s: expected a query for series, found a %s"):format(query, data.resultType) }
end
local function query(input)
  return { result = find(input, input.query), failed = input.failed and find(input, input.failed) or {} }
end

local names = "failed[].[metric.alertname || metric.__name__ || to_string(metric)][]"
local transient, failed = acceptor.transient(), acceptor.output("failure", "failed != `[]`", nil, names)
local function result(operator) return acceptor.output("success", ("result %s `[]`"):format(operator)) end
local function waiter(text, opposite, ...)
  return { documentation = text, opposite = opposite, minDelay = 0.05, maxDelay = 5, lateness = 0.05, acceptors = { ... } }
end

return { GetReady = { call = function(input) return { answer = get(input, "/-/ready").body } end, check = address.check_http,
  input = address.http_inputs({ headers = headers }, server), default = "PrometheusReady", waitable = {
    PrometheusReady = waiter("Waits until Prometheus answers queries.", nil, acceptor.success(), transient) },
}, Query = { call = query, check = address.check_http, input = address.http_inputs({ headers = headers,
  query = { type = "string", asks = true, required = true, positional = 2, example = "up == 1",
    documentation = "A query for series." },
  failed = { type = "string", documentation = "A query whose result means failure." },
}, server), waitable = {
  ResultFound = waiter("Waits until a query has a result.", "ResultEmpty", failed, result "!=", transient),
  ResultEmpty = waiter("Waits until a query has no result.", "ResultFound", failed, result "==", transient) } } }
