---Waits until a service is healthy: it answers with a status of 200 to 299, or with `status`. Or, with ServiceDown, until
---it does not answer: the connection is refused, or a gateway returns 502 to 504.
---
---    bide run http url=http://localhost:8080/health --max-wait 30s
---    bide run http url=http://localhost:8080/things/1 path=status expect=success --max-wait 5m
---
---path is a JMESPath: its value in the JSON body must be `expect`, or true without `expect`. expect alone is a text that
---the body must contain. Also: status=204, timeout=5 (seconds), headers:='{"Accept": "text/plain"}'.

local acceptor, expect, http = require "bide.acceptor", require "bide.expect", require "bide.http"
local check = require "bide.input" { required = { "url" },
  optional = { "path" }, seconds = { "timeout" }, numbers = { "status" }, values = { "expect", "headers" } }

local function get(input)
  check(input)
  local response = http.get(input.url, { headers = input.headers, timeout = input.timeout or 10 })
  if input.status and response.status ~= input.status or not input.status and not response.ok then
    error(response:operation_error() or { type = "UnexpectedStatus", message = "the status is " .. response.status })
  end
  return { status = response.status, value = expect(response.body, input.path, input.expect) }
end

---Waiting does not change the other statuses from 400 on, nor a bad certificate or URL.
local transient = acceptor.transient("TooEarly", "UnexpectedStatus", "UnexpectedValue")
local function is_absent(context) return context.error ~= nil and context.error.status == 404 end

local function waiter(documentation, answers, down)
  local acceptors = { acceptor.success(answers) }
  for _, name in ipairs { "ConnectionRefused", "BadGateway", "ServiceUnavailable", "GatewayTimeout" } do
    table.insert(acceptors, acceptor.error(down, name))
  end
  table.insert(acceptors, { state = "retry", matcher = { lua = is_absent } })
  table.insert(acceptors, transient)
  return { documentation = documentation, minDelay = 0.5, maxDelay = 5, acceptors = acceptors }
end

return { Get = { call = get, default = "ServiceHealthy", waitable = {
  ServiceHealthy = waiter("Waits until a service is healthy.", "success", "retry"),
  ServiceDown = waiter("Waits until a service does not answer.", "retry", "success"),
} } }
