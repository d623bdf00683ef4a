---Waits until a service is healthy: it answers with a status of 200 to 299, or with the one given.
---
---    bide run http url=http://localhost:8080/health --max-wait 30s
---    bide run http url=http://localhost:8080/things/1 path=status expect=success --max-wait 5m
---
---With path, a JMESPath expression, also until that gives `expect`, or something true, for the JSON body; with
---expect alone until the body contains it. Also: status=204, timeout=5 (seconds), headers:='{"Accept": "text/plain"}'.

local expect = require "bide.expect"
local http = require "bide.http"
local check = require "bide.input" {
  required = { "url" }, optional = { "path", "expect", "headers" }, numbers = { "status", "timeout" },
}

local function get(input)
  check(input)
  local response = http.get(input.url, { headers = input.headers, timeout = input.timeout or 10 })
  if input.status and response.status ~= input.status or not input.status and not response.ok then
    error(response:operation_error() or { type = "UnexpectedStatus", message = "the status is " .. response.status })
  end
  return { status = response.status, value = expect(response.body, input.path, input.expect) }
end

---Waiting does not change the other statuses from 400 on, nor a bad certificate or URL.
local function is_starting(context)
  local status = context.error and context.error.status or 0
  return status >= 500 or status == 404 or status == 408 or status == 425 or status == 429
end

local acceptors = {
  { state = "success", matcher = { success = true } }, { state = "retry", matcher = { lua = is_starting } },
}
for _, name in ipairs { "ConnectionRefused", "ConnectionReset", "ConnectionFailed", "NameNotResolved", "RequestTimeout",
  "InvalidResponse", "UnexpectedStatus", "UnexpectedValue" } do
  table.insert(acceptors, { state = "retry", matcher = { errorType = name } })
end

return { Get = { call = get, waitable = { ServiceHealthy = {
  documentation = "Waits until a service is healthy.", minDelay = 0.5, maxDelay = 5, acceptors = acceptors,
} } } }
