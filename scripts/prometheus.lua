---Waits until Prometheus answers queries. Or, with ResultFound, until a query has a result: a target is up, a rate is
---below a bound; with ResultEmpty, until it has none: an alert does not fire.
---
---    bide run prometheus url=http://localhost:9090 --max-wait 1m
---    bide run prometheus ResultFound url=http://localhost:9090 query='up{job="web"} == 1' --max-wait 5m
---    bide run prometheus ResultEmpty url=http://localhost:9090 query='ALERTS{alertstate="firing"}' --max-wait 1h
---
---`failed` is a query whose result means failure. Also: timeout=5 (seconds), headers:='{…}'.

local acceptor, http = require "bide.acceptor", require "bide.http"
local check = require "bide.input" { required = { "url" }, seconds = { "timeout" }, values = { "headers" } }
local check_query = require "bide.input" {
  required = { "url", "query" }, optional = { "failed" }, seconds = { "timeout" }, values = { "headers" } }

local function get(input, path, query)
  local response = http.get(input.url .. path, { query = query, headers = input.headers, timeout = input.timeout or 10 })
  return response.ok and response or error(response:operation_error())
end

local function get_ready(input) return { answer = get(check(input), "/-/ready").body } end

local function find(input, query)
  local data = get(input, "/api/v1/query", { query = query }):json().data
  if data.resultType == "vector" then return data.result end
  error { type = "InvalidInput", message = ("%s: expected a query for series, found a %s"):format(query, data.resultType) }
end
local function query(input)
  return { result = find(check_query(input), input.query), failed = input.failed and find(input, input.failed) or {} }
end

local names = "failed[].[metric.alertname || metric.__name__ || to_string(metric)][]"
local transient, failed = acceptor.transient(), acceptor.output("failure", "failed != `[]`", nil, names)
local function waiter(text, ...) return { documentation = text, minDelay = 0.5, maxDelay = 10, acceptors = { ... } } end

return { GetReady = { call = get_ready, default = "PrometheusReady", waitable = {
  PrometheusReady = waiter("Waits until Prometheus answers queries.", acceptor.success(), transient),
} }, Query = { call = query, waitable = {
  ResultFound = waiter("Waits until a query has a result.", failed, acceptor.output("success", "result != `[]`"), transient),
  ResultEmpty = waiter("Waits until a query has no result.", failed, acceptor.output("success", "result == `[]`"), transient),
} } }
