---Waits until Consul has a leader. Or, with ServicePassing, until a service has instances whose checks all pass; with
---ServiceGone, until it has none.
---Consul is near, and a poll is cheap: the delays are 50 ms to 250 ms.
---
---    bide run consul localhost:8500 --max-wait 1m
---    bide run consul ServicePassing localhost:8500 web count=3 bearer=@env:CONSUL_HTTP_TOKEN --max-wait 5m

local acceptor, http = require "bide.acceptor", require "bide.http"

local function ask(input, path, query)
  local response = http.request(http.request_of(input, path, query))
  return response.ok and response:json() or error(response:operation_error())
end
local function get_leader(input) return { leader = ask(input, "/v1/status/leader") } end

local function get_service(input)
  local found = ask(input, "/v1/health/service/" .. input.service, { passing = "true" })
  return { passing = #found, enough = #found >= input.count }
end

local function inputs(own) return http.service_inputs("localhost:8500", own) end
local function waiter(text, opposite, path)
  return { documentation = text, opposite = opposite, minDelay = 0.05, maxDelay = 0.25,
    acceptors = { acceptor.output("success", path), acceptor.transient() } }
end

return { GetLeader = { call = get_leader, check = http.mistake, input = inputs {}, default = "ConsulReady",
  waitable = { ConsulReady = waiter("Waits until Consul has a leader.", nil, "leader != ''") },
}, GetService = { call = get_service, check = http.mistake, input = inputs {
  service = { type = "string", required = true, positional = 2, pattern = "^[%w._-]+$", example = "web",
    documentation = "The name of the service." },
  count = { type = "integer", minimum = 1, default = 1, documentation = "The least number of instances." },
}, waitable = {
  ServicePassing = waiter("Waits until a service passes its checks.", "ServiceGone", "enough"),
  ServiceGone = waiter("Waits until no instance passes.", "ServicePassing", "passing == `0`") } } }
