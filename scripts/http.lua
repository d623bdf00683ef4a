---Waits until a service is healthy: it answers with a status of 200 to 299, or one of `status`. Or, with ServiceDown,
---until it does not answer: the connection is refused, or a gateway returns 502 to 504.
---The service is near, and a poll is cheap: the delays are 50 ms to 250 ms.
---
---    bide run http localhost:8080/health --max-wait 30s
---    bide http https://api/jobs/1 ca=ca.pem bearer=@env:TOKEN path=state expect=done failed=failed message=reason --max-wait 5m
---    bide http api/build method=POST json:='{"dry":true}' status=200,409 --until "state=done" --max-wait 5m
---
---The output is the JSON of the answer, or {} if it has none. A good answer must also satisfy path, expect and matches.
---path is a JMESPath whose value must be `expect`, or true. Without path, `expect` is a text that the body must contain.

local acceptor, expect, http = require "bide.acceptor", require "bide.expect", require "bide.http"

local function get(input)
  local response = http.request(http.request_of(input))
  local output = http.output(response, input)
  expect.text(response.body, input)
  return output
end

---Waiting does not change the other statuses from 400 on, nor a bad certificate or URL.
local transient = acceptor.transient("TooEarly", "UnexpectedStatus", "UnexpectedValue")

---A poll costs a tenth of a millisecond, so a service is found soon after it is up.
local function waiter(documentation, opposite, answers, down)
  local acceptors = { expect.failure(), expect.success(answers) }
  for _, name in ipairs { "ConnectionRefused", "BadGateway", "ServiceUnavailable", "GatewayTimeout" } do
    table.insert(acceptors, acceptor.error(down, name))
  end
  table.insert(acceptors, { state = "retry", matcher = { status = 404 } })
  table.insert(acceptors, transient)
  return { documentation = documentation, opposite = opposite, minDelay = 0.05, maxDelay = 0.25, acceptors = acceptors }
end

return { Get = {
  call = get, input = expect.inputs(http.inputs()), default = "ServiceHealthy",
  check = function(input) return http.mistake(input) or expect.mistake(input) end,
  waitable = { ServiceHealthy = waiter("Waits until a service is healthy.", "ServiceDown", "success", "retry"),
    ServiceDown = waiter("Waits until a service does not answer.", "ServiceHealthy", "retry", "success") },
} }
