---Waits until etcd is healthy. Or, with KeyExists, until a key exists; with KeyDeleted, until it does not.
---etcd is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run etcd localhost:2379 --max-wait 30s
---    bide run etcd KeyExists localhost:2379 /jobs/1 value=done failed=broken --max-wait 5m
---    bide run etcd KeyDeleted localhost:2379 /locks/deploy --max-wait 10m
---    bide run etcd https://etcd:2379 ca=ca.pem certificate=client.pem certificate_key=client.key --max-wait 1m

local acceptor, base64, http = require "bide.acceptor", require "bide.base64", require "bide.http"
local json, at = require "bide".json, "localhost:2379"

local function get_key(input)
  local request = http.request_of(input, "/v3/kv/range")
  request.method, request.json = "POST", { key = base64.encode(input.key) }
  local found = http.find(http.request(request), "header.revision && {key: kvs[0].key, value: kvs[0].value || ''}", "etcd")
  if type(found.key) ~= "string" then error { type = "KeyNotFound", message = "there is no key " .. input.key } end
  local value = type(found.value) == "string" and base64.decode(found.value)
    or error { type = "InvalidAnswer", message = "this is not an answer of etcd" }
  local output = { [input.key] = value } -- a key whose name says secret so keeps its value to itself
  local problem = value == input.failed and "KeyFailed" or value ~= (input.value or value) and "UnexpectedValue"
  return problem and error { type = problem, message = json.encode(output, { redact = true }) } or output
end

local function waiter(text, opposite, more)
  local definition = { documentation = text, opposite = opposite, minDelay = 0.05, maxDelay = 5, lateness = 0.05 }
  for name, value in pairs(more) do definition[name] = value end
  return definition
end

return { GetHealth = { call = function(input) return http.request(http.request_of(input, "/health")) end,
  check = http.mistake, input = http.service_inputs(at, { key = false }), default = "EtcdHealthy", waitable = {
  EtcdHealthy = waiter("Waits until etcd is healthy.", nil, {
    countsAsReady = '/health answers {"health":"true"}, for which etcd asks the cluster',
    acceptors = { acceptor.output("success", "health", "true"), acceptor.transient() } }) },
}, GetKey = { call = get_key, check = http.mistake, input = http.service_inputs(at, {
  key = { type = "string", required = true, positional = 2, example = "/jobs/1", documentation = "The key." },
  value = { type = "string", asks = true, documentation = "The value to wait for. Default: any." },
  failed = { type = "string", documentation = "A value that means failure." },
}), waitable = {
  KeyExists = waiter("Waits until a key exists.", "KeyDeleted", {
    countsAsReady = "the answer to a range over the key has it, with the value that is asked for",
    acceptors = { acceptor.success(), acceptor.error("failure", "KeyFailed"),
      acceptor.transient("KeyNotFound", "UnexpectedValue") } }),
  KeyDeleted = waiter("Waits until a key is gone.", "KeyExists", {
    countsAsGone = "the answer to a range over the key has a revision of the cluster, and no key",
    acceptors = { acceptor.error("success", "KeyNotFound"), acceptor.success "retry",
      acceptor.transient("KeyFailed", "UnexpectedValue") } }),
} } }
