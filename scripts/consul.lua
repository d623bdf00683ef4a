---Waits until Consul has a leader. Or, with ServicePassing, until a service has instances whose checks all pass; with
---ServiceGone, until it has none. Consul is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run consul localhost:8500 --max-wait 1m
---    bide run consul ServicePassing localhost:8500 web count=3 tag=v2 bearer=@env:CONSUL_HTTP_TOKEN --max-wait 5m

local acceptor, http = require "bide.acceptor", require "bide.http"

local function ask(input, expression, path, query)
  local response = http.request(http.request_of(input, path, query))
  return http.find(response, expression, "Consul") and response
end

---An empty list is an answer of many programs, and Consul leaves out what may not be read. Without a token, only the agent
---says so.
local function get_service(input)
  local response = ask(input, "type(@) == 'array' && length(@) == length([?Service.Service])",
    "/v1/health/service/" .. input.service, { passing = "true", tag = input.tag, dc = input.dc })
  if not response:header "x-consul-index" then
    error { type = "InvalidAnswer", message = "this is not an answer of Consul: it has no X-Consul-Index" }
  end
  if response:header "x-consul-knownleader" == "false" then
    error { type = "NoLeader", message = "Consul has no leader, and may not know all instances" }
  end
  local is_filtered = response:header "x-consul-results-filtered-by-acls" == "true"
  local is_open = response:header "x-consul-default-acl-policy" == "allow" and not is_filtered
  if response.body:find "[^%s%[%]]" or is_open then return response end
  local agent = http.request(http.request_of(input, "/v1/agent/health/service/name/" .. input.service))
  if agent.status == 403 then error(agent:operation_error()) end
  return not is_filtered and response
    or error { type = "AccessDenied", message = "the token lacks node:read" }
end

---The address of the leader is a text, HOST:PORT, which is empty if there is none.
local function get_leader(input)
  local response = ask(input, "type(@) == 'string'", "/v1/status/leader")
  local leader = response:json()
  if leader ~= "" and not leader:find "^[%w.:%[%]_-]+:%d+$" then
    error { type = "InvalidAnswer", message = "this is not an answer of Consul" }
  end
  return response
end

local function waiter(text, opposite, path, more)
  local definition = { documentation = text, opposite = opposite, minDelay = 0.05, maxDelay = 5, lateness = 0.05,
    acceptors = { acceptor.transient "NoLeader",
    { state = "success", matcher = { inputOutput = { path = path, comparator = "booleanEquals", expected = "true" } } } } }
  for name, value in pairs(more) do definition[name] = value end
  return definition
end

return { GetLeader = { check = http.mistake, default = "ConsulReady", input = http.service_inputs "localhost:8500",
  call = get_leader, waitable = {
  ConsulReady = waiter("Waits until Consul has a leader.", nil, "type(output) == 'string' && output != ''",
    { countsAsReady = "/v1/status/leader names the leader, as HOST:PORT" }) },
}, GetService = { call = get_service, check = http.mistake, input = http.service_inputs("localhost:8500", {
  service = { type = "string", required = true, positional = 2, pattern = "^[%w._-]+$", documentation = "The service's name." },
  count = { type = "integer", asks = true, minimum = 1, default = 1, documentation = "The least number of instances." },
  dc = { type = "string", example = "dc1", documentation = "The datacenter. Default: the agent's." },
  tag = { type = "string", asks = true, example = "v2", documentation = "Count only instances with this tag." },
}), waitable = {
  ServicePassing = waiter("Waits until a service passes its checks.", "ServiceGone", "length(output) >= input.count",
    { countsAsReady = "/v1/health/service lists as many instances whose checks all pass" }),
  ServiceGone = waiter("Waits until no instance passes.", "ServicePassing", "length(output) == `0`", {
    countsAsGone = "/v1/health/service is an empty list with X-Consul-Index, a known leader, nothing left out by ACLs" }) } } }
