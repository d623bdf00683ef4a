---Waits until Consul has a leader. Or, with ServicePassing, until a service has instances whose checks all pass; with
---ServiceGone, until it has none.
---Consul is near, and a poll is cheap: the delays are 50 ms to 250 ms.
---
---    bide run consul localhost:8500 --max-wait 1m
---    bide run consul ServicePassing localhost:8500 web count=3 bearer=@env:CONSUL_HTTP_TOKEN --max-wait 5m

local acceptor, http = require "bide.acceptor", require "bide.http"

local function ask(input, path, query)
  local response = http.request(http.request_of(input, path, query))
  return response.ok and response or error(response:operation_error())
end
local function get_leader(input) return ask(input, "/v1/status/leader") end
local function get_service(input) return ask(input, "/v1/health/service/" .. input.service, { passing = "true" }) end

local function inputs(own) return http.service_inputs("localhost:8500", own) end
local function waiter(text, opposite, path)
  return { documentation = text, opposite = opposite, minDelay = 0.05, maxDelay = 0.25, acceptors = { acceptor.transient(),
    { state = "success", matcher = { inputOutput = { path = path, comparator = "booleanEquals", expected = "true" } } } } }
end

return { GetLeader = { call = get_leader, check = http.mistake, input = inputs {}, default = "ConsulReady",
  waitable = { ConsulReady = waiter("Waits until Consul has a leader.", nil, "type(output) == 'string' && output != ''") },
}, GetService = { call = get_service, check = http.mistake, input = inputs {
  service = { type = "string", required = true, positional = 2, pattern = "^[%w._-]+$", example = "web",
    documentation = "The name of the service." },
  count = { type = "integer", minimum = 1, default = 1, documentation = "The least number of instances." },
}, waitable = {
  ServicePassing = waiter("Waits until a service passes its checks.", "ServiceGone", "length(output) >= input.count"),
  ServiceGone = waiter("Waits until no instance passes.", "ServicePassing", "length(output) == `0`") } } }
