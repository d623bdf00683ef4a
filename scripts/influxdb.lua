---Waits until InfluxDB is healthy: by /health, or by /ping where a version 1 has no /health.
---InfluxDB is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run influxdb localhost:8086 --max-wait 1m
---    bide run influxdb https://metrics:8086 ca=ca.pem --max-wait 1m

local acceptor, http = require "bide.acceptor", require "bide.http"

local function ask(input, path) return http.request(http.request_of(input, path)) end

---The answer of a server that starts has the status 503, and says so.
local function get_health(input)
  local response = ask(input, "/health")
  if response.status == 404 then response = ask(input, "/ping") end
  local version = response.ok and response:header "x-influxdb-version"
  if version and response.status ~= 200 then return { status = "pass", version = version } end
  return http.find(response, "type(status) == 'string' && name == 'influxdb'", "InfluxDB") and response
end

return { GetHealth = { call = get_health, check = http.mistake, input = http.service_inputs "localhost:8086",
  waitable = { InfluxdbHealthy = { documentation = "Waits until InfluxDB is healthy.",
    countsAsReady = "/health names influxdb with the status pass; of a version without it, /ping has X-Influxdb-Version",
    minDelay = 0.05, maxDelay = 5, lateness = 0.05,
    acceptors = { acceptor.output("success", "status", "pass"), acceptor.transient() } } } } }
