---Waits until Prometheus answers queries. Or, with ResultFound, until a query has a result: a target is up, a rate is
---below a bound; with ResultEmpty, until it has none: an alert does not fire. A query for a metric that has not been
---scraped yet, or is misspelt, has no result either: `proof` is a query that must have one.
---Prometheus is near, and a query takes some of its time: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run prometheus localhost:9090 --max-wait 1m
---    bide run prometheus ResultFound localhost:9090 query='up{job="web"} == 1' --max-wait 5m
---    bide run prometheus ResultEmpty localhost:9090 query='ALERTS{alertstate="firing"}' --max-wait 1h
---    bide run prometheus ResultEmpty localhost:9090 'queue_length{job="web"} > 5' proof='queue_length{job="web"}' --max-wait 1h
---
---A result with a warning, as Thanos gives while a store does not answer, may not be complete, and is asked for again.

local acceptor, address, http = require "bide.acceptor", require "bide.address", require "bide.http"
local server, headers = "localhost:9090", { type = "object", documentation = "Headers of the requests." }
local function get(input, path, query)
  local response = http.get(address.http(input.url) .. path, { query = query, headers = input.headers, timeout = input.timeout })
  return response.ok and response or error(response:operation_error())
end

---The words that begin a remark on a query, which older versions give as a warning. It says nothing about the result.
local REMARK = "^PromQL info"

---Raises what a warning says: the result may lack the series of a store or a server that did not answer.
local function check_warnings(warnings)
  for _, text in ipairs(type(warnings) == "table" and warnings or {}) do
    if not tostring(text):find(REMARK) then
      error { type = "PartialResult", message = "the result may not be complete: " .. tostring(text) }
    end
  end
end

local function find(input, query)
  local body = http.find(get(input, "/api/v1/query", { query = query }),
    "status == 'success' && type(data.result) == 'array' && {data: data, warnings: warnings}", "Prometheus")
  local data = body.data
  if data.resultType ~= "vector" then
    error { type = "InvalidInput", message = ("%s: expected a query for series, found a %s"):format(query, data.resultType) }
  end
  check_warnings(body.warnings)
  return data.result
end

---Another program may answer the question whether it is ready, too.
local function get_ready(input)
  local response = get(input, "/-/ready")
  local sample = find(input, "vector(1)")[1]
  if type(sample) ~= "table" or type(sample.value) ~= "table" or sample.value[2] ~= "1" then
    error { type = "InvalidAnswer", message = "this is not an answer of Prometheus" }
  end
  return { answer = response.body }
end

local function query(input)
  local proof = input.proof and find(input, input.proof)
  return { result = find(input, input.query), failed = input.failed and find(input, input.failed) or {},
    unproven = proof and #proof == 0 or nil }
end

local names = "failed[].[metric.alertname || metric.__name__ || to_string(metric)][]"
local transient, failed = acceptor.transient "PartialResult", acceptor.output("failure", "failed != `[]`", nil, names)

local function waiter(text, opposite, acceptors, more)
  local definition = { documentation = text, opposite = opposite, minDelay = 0.05, maxDelay = 5, lateness = 0.05,
    acceptors = acceptors }
  for name, value in pairs(more) do definition[name] = value end
  return definition
end

return {
  GetReady = { call = get_ready, check = address.check_http, default = "PrometheusReady",
    input = address.http_inputs({ headers = headers }, server), waitable = {
    PrometheusReady = waiter("Waits until Prometheus answers queries.", nil, { acceptor.success(), transient },
      { countsAsReady = "/-/ready answers 200, and the query vector(1) has the sample 1" }),
  } },
  Query = { call = query, check = address.check_http, input = address.http_inputs({ headers = headers,
    query = { type = "string", asks = true, required = true, positional = 2, example = "up == 1",
      documentation = "A query for series." },
    failed = { type = "string", documentation = "A query whose result means failure." },
    proof = { type = "string", asks = true, example = 'up{job="web"}', documentation =
      "A query that must have a result before an empty one counts: what the query asks about has been scraped." },
  }, server), waitable = {
    ResultFound = waiter("Waits until a query has a result.", "ResultEmpty",
      { failed, acceptor.output("success", "result != `[]`"), transient },
      { countsAsReady = "the query has at least one series, without a warning that the result is partial" }),
    ResultEmpty = waiter("Waits until a query has no result.", "ResultFound",
      { failed, acceptor.output("success", "result == `[]` && !unproven"), transient }, { countsAsGone =
        "the query has no series, without a warning that the result is partial; with `proof`, that query has some" }),
  } },
}
