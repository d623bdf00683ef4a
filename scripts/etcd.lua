---Waits until etcd is healthy. Or, with KeyExists, until a key exists; with KeyDeleted, until it does not.
---
---    bide run etcd url=http://localhost:2379 --max-wait 30s
---    bide run etcd KeyExists url=http://localhost:2379 key=/jobs/1 value=done failed=broken --max-wait 5m
---    bide run etcd KeyDeleted url=http://localhost:2379 key=/locks/deploy --max-wait 10m
---
---value is the value to wait for; `failed` is a value that means failure. Also: timeout=5 (seconds), headers:={}.

local acceptor, base64, http, json = require "bide.acceptor", require "bide.base64", require "bide.http", require "bide".json
local check = require "bide.input" { required = { "url" }, seconds = { "timeout" }, values = { "headers" } }
local check_key = require "bide.input" {
  required = { "url", "key" }, optional = { "value", "failed" }, seconds = { "timeout" }, values = { "headers" } }

local function get_health(input)
  return http.get(check(input).url .. "/health", { headers = input.headers, timeout = input.timeout or 10 })
end

local function get_key(input)
  local response = http.post(check_key(input).url .. "/v3/kv/range",
    { json = { key = base64.encode(input.key) }, headers = input.headers, timeout = input.timeout or 10 })
  local found = response.ok and (response:json().kvs or {})[1] or error(response:operation_error()
    or { type = "KeyNotFound", message = "there is no key " .. input.key })
  local value = base64.decode(found.value or "")
  local output = { [input.key] = value } -- a key whose name says secret so keeps its value to itself
  local problem = value == input.failed and "KeyFailed" or value ~= (input.value or value) and "UnexpectedValue"
  return problem and error { type = problem, message = json.encode(output, { redact = true }) } or output
end

local function waiter(text, ...) return { documentation = text, minDelay = 0.25, maxDelay = 5, acceptors = { ... } } end

return { GetHealth = { call = get_health, default = "EtcdHealthy", waitable = {
  EtcdHealthy = waiter("Waits until etcd is healthy.", acceptor.output("success", "health", "true"), acceptor.transient()),
} }, GetKey = { call = get_key, waitable = {
  KeyExists = waiter("Waits until a key exists.", acceptor.success(), acceptor.error("failure", "KeyFailed"),
    acceptor.transient("KeyNotFound", "UnexpectedValue")),
  KeyDeleted = waiter("Waits until a key is gone.", acceptor.error("success", "KeyNotFound"), acceptor.success "retry",
    acceptor.transient("KeyFailed", "UnexpectedValue")),
} } }
