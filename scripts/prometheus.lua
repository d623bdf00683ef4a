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
---A series is there whatever its value: up is 0 for a target that is down. So the query has to compare (up == 1); if it does
---not, ResultFound wants a value that is neither 0 nor NaN.
---A result with a warning, as Thanos gives while a store does not answer, may not be complete, and is asked for again.

local acceptor = require "bide.acceptor"
local http = require "bide.http"
local json = require("bide").json
local service = require "bide.service"

local operation = service { http = "localhost:9090", transient = { "PartialResult" } }

---Returns a function that sends a request, and raises the error of a bad answer.
---@param at string? the address to ask
local function getting(input, path, query, at)
  local request = http.request_of(input, path, query)
  request.address = at
  local send = http.prepare(request)
  return function()
    local response = send()
    return response.ok and response or error(response:operation_error())
  end
end

---The words that begin a remark on a query, which older versions give as a warning. It says nothing about the result.
local REMARK = "^PromQL info"

local function refuse_partial(words)
  error { type = "PartialResult", message = "the result may not be complete: " .. words }
end

---Raises what an answer says of itself: it may lack the series of a store or a server that did not answer. isPartial is
---VictoriaMetrics' word for it.
local function check_whole(body)
  if body.partial then refuse_partial "isPartial is not false" end
  for _, text in pairs(type(body.warnings) == "table" and body.warnings or { body.warnings }) do
    if not tostring(text):find(REMARK) then refuse_partial(tostring(text)) end
  end
end

local ANSWER = "status == 'success' && type(data.result) == 'array' "
  .. "&& {data: data, series: data.result[?type(metric) == 'object' && (length(value || histogram || `[]`) == `2`)], "
  .. "warnings: warnings || `[]`, partial: not_null(isPartial, `false`)}"

---Returns the value of a series as Prometheus writes it; false for a histogram, which has none.
local function value_of(series)
  return type(series.value) == "table" and series.value[2]
end

---Reports whether a series has a histogram, or a number as Prometheus writes it.
local function has_number(series)
  local value = value_of(series)
  return type(series.histogram) == "table" or tonumber(value) ~= nil or value == "NaN" or value == "+Inf" or value == "-Inf"
end

---Returns a function that sends a query, and returns the series that it finds.
local function finding(input, query, at)
  local get = getting(input, "/api/v1/query", { query = query }, at)
  return function()
    local body = http.find(get(), ANSWER, "Prometheus")
    local data = body.data
    if data.resultType ~= "vector" then
      error { type = "InvalidInput", message = ("%s: expected a query for series, found a %s"):format(query, data.resultType) }
    end
    if #body.series ~= #data.result then
      error { type = "InvalidAnswer", message = "this is not an answer of Prometheus: a series has no labels, or no value" }
    end
    for _, series in ipairs(data.result) do
      if not has_number(series) then
        error { type = "InvalidAnswer", message = "this is not an answer of Prometheus: a value is not a number" }
      end
    end
    check_whole(body)
    return data.result
  end
end

---Asks for a sample, which every Prometheus has, and other programs do not.
local function get_one(input, at)
  local sample = finding(input, "vector(1)", at)()[1]
  if type(sample) == "table" and type(sample.value) == "table" and sample.value[2] == "1" then return true end
  error { type = "InvalidAnswer", message = "this is not an answer of Prometheus" }
end

local OK <const> = 200

---A gateway may send its own page for this path, and let questions through.
local function prepare_ready(input)
  local get_ready = getting(input, "/-/ready")
  return function()
    local response = get_ready()
    if response.status == OK and response:media_type() ~= "text/html" then return { answer = response.body } end
    error { type = "InvalidAnswer", message = "this is not Prometheus: /-/ready is answered by a page, or not with 200" }
  end
end

---Returns the operators of a query, and the words and numbers between them, without texts, labels and ranges.
local function bare(query)
  local text = query:gsub("\\.", ""):gsub("([\"'`]).-%1", ""):gsub("#[^\n]*", ""):gsub("%b{}", ""):gsub("%b[]", ""):lower()
  while text:find "^%s*%b()%s*$" do text = text:match "^%s*%((.*)%)%s*$" end
  return text
end

---Reports whether one of some words is in a query.
local function has_word(text, words)
  for word in text:gmatch "[%w_:]+" do
    if words[word] then return true end
  end
  return false
end

---Reports whether an operator of a query leaves series out: a comparison, which with bool gives 0 or 1, or an operator of sets.
---With `or`, as in `sum(x > 5) or vector(0)`, those within parentheses do not.
local function chooses(query)
  local text = bare(query)
  if has_word(text, { ["or"] = true }) then text = text:gsub("%b()", " ") end
  return text:gsub("[=!<>]=?%s*bool%f[^%w_:]", ""):find "[=!<>]" ~= nil or has_word(text, { ["and"] = true, unless = true })
end

---Reports whether the value of a series says no: 0, or NaN.
local function says_no(series)
  local value = value_of(series)
  return value == "NaN" or tonumber(value) == 0
end

---Returns the series that mean failure: those whose value says no do not, unless the query chooses them.
local function failures(query, result)
  if chooses(query) then return result end
  local found = json.array {}
  for _, series in ipairs(result) do
    if not says_no(series) then found[#found + 1] = series end
  end
  return found
end

local function asking(input, at)
  local find = finding(input, input.query, at)
  local find_proof = input.proof and finding(input, input.proof, at)
  local find_failed = input.failed and finding(input, input.failed, at)
  return function()
    local proof = find_proof and find_proof()
    local result = find()
    local failed = find_failed and failures(input.failed, find_failed()) or {}
    return { result = result, failed = failed, unproven = proof and #proof == 0 or nil }
  end
end

---Reports whether an address has no series, of which another one may have some.
local function is_empty(found)
  local is_answer = type(found) == "table" and found.result and found.failed
  return is_answer and #found.result == 0 and #found.failed == 0 and not found.unproven
end

local function prepare_query(input)
  return http.until_found(http.request_of(input), function(at) return asking(input, at) end, is_empty)
end

---Another program may answer the question whether it is ready, too.
local function confirm_ready(context)
  return get_one(context.input)
end

---Refuses series that are there whatever holds, and whose values all say no.
local function confirm_series(query, result)
  if chooses(query) then return true end
  for _, series in ipairs(result) do
    if not says_no(series) then return true end
  end
  error({ type = "UnexpectedValue", message = ("the value is %s in each series, and the query compares nothing: write it as "
    .. "(%s) == 1, or as (%s) >= 0 if a series is enough"):format(result[1].value[2], query, query) }, 0)
end

local function confirm_result(context, wait)
  local found = context.output
  if found and #found.result > 0 then
    return wait and not wait.own_success or confirm_series(context.input.query, found.result)
  end
  return http.at_each_address(http.request_of(context.input), function(at) return get_one(context.input, at) end)
end

local names = "failed[].[metric.alertname || metric.__name__ || to_string(metric)][]"
local failed = acceptor.output("failure", "failed != `[]`", nil, names)

return {
  GetReady = operation {
    prepare = prepare_ready,
    witness = confirm_ready,
    fact = "'the server answers'",
    default = "PrometheusReady",
    waitable = {
      PrometheusReady = {
        documentation = "Waits until Prometheus answers queries.",
        countsAsReady = "/-/ready answers 200, with no page of HTML, and the query vector(1) has the sample 1",
        acceptors = { acceptor.success() },
      },
    },
  },
  Query = operation {
    prepare = prepare_query,
    witness = confirm_result,
    output = {
      result = { type = "list" },
      failed = { type = "list" },
      unproven = { type = "boolean" },
    },
    inputs = {
      query = {
        type = "string", asks = true, required = true, positional = 2, example = "up == 1",
        documentation = "A query for series, which compares their values.",
      },
      failed = { type = "string",
        documentation = "A query whose result means failure; if it compares nothing, 0 and NaN do not." },
      proof = {
        type = "string", asks = true, example = 'up{job="web"}',
        documentation =
          "A query that must have a result before an empty one counts: what the query asks about has been scraped.",
      },
    },
    waitable = {
      ResultFound = {
        documentation = "Waits until a query has a result.",
        countsAsReady = "the query has at least one series, without a warning that the result is partial; of a query that "
          .. "compares nothing, one whose value is neither 0 nor NaN",
        opposite = "ResultEmpty",
        acceptors = { failed, acceptor.output("success", "result != `[]`") },
      },
      ResultEmpty = {
        documentation = "Waits until a query has no result.",
        countsAsGone =
          "each address gives no series, no warning that the result is partial, and to vector(1) the sample 1; with `proof`, "
          .. "that query has some series",
        opposite = "ResultFound",
        acceptors = { failed, acceptor.output("success", "result == `[]` && !unproven") },
      },
    },
  },
}
