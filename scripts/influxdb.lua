---Waits until InfluxDB is healthy: by /health, or by /ping where a version 1 has no /health.
---InfluxDB is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run influxdb localhost:8086 --max-wait 1m
---    bide run influxdb https://metrics:8086 ca=ca.pem --max-wait 1m

local acceptor = require "bide.acceptor"
local http = require "bide.http"
local service = require "bide.service"

local operation = service { http = "localhost:8086" }

local NO_CONTENT <const> = 204

---The answer of a server that starts has the status 503, and says so. Versions without /health have /ping.
local function prepare(input)
  local get_health = http.prepare(http.request_of(input, "/health"))
  local ping = http.prepare(http.request_of(input, "/ping"))
  return function()
    local response = get_health()
    if response.status == 404 then
      response = ping()
      local version = response.status == NO_CONTENT and response:header "x-influxdb-version"
      if version then return { status = "pass", version = version } end
    end
    return http.find(response, "type(status) == 'string' && name == 'influxdb'", "InfluxDB") and response
  end
end

return { GetHealth = operation {
  prepare = prepare,
  waitable = {
    InfluxdbHealthy = {
      documentation = "Waits until InfluxDB is healthy.",
      countsAsReady = "/health names influxdb with the status pass; of a version without it, /ping has X-Influxdb-Version",
      acceptors = { acceptor.output("success", "status", "pass") },
    },
  },
} }
