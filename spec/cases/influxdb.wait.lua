---Cases of the recipe influxdb. `answers` are in place of its requests, so they test acceptors and delays;
---with `exchanges` it sends them.

local shapes = require "shapes"

return {
  recipe = "influxdb",
  shapes.succeeds("InfluxdbHealthy", { url = "localhost:8086" }, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { status = "pass" } },
  }, { 0.05, 2.86 }),
  {
    name = "InfluxdbHealthy asks /health, and /ping of a version without it",
    waiter = "InfluxdbHealthy",
    input = { url = "localhost:8086" },
    exchanges = {
      {
        request = { url = "http://localhost:8086/health" },
        response = { status = 503, json = { name = "influxdb", status = "fail" } },
      },
      { request = { url = "http://localhost:8086/health" }, response = { status = 404 } },
      {
        request = { url = "http://localhost:8086/ping" },
        response = { status = 204, headers = { ["X-Influxdb-Version"] = "1.6.4" } },
      },
    },
    expect = { state = "success", attempts = 2, requests = 3 },
  },
}
