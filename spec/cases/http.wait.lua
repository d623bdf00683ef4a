---Cases of the recipe http. `answers` are in place of its requests, so they test acceptors and delays;
---with `exchanges` it sends them.

local shapes = require "shapes"

local input = { url = "localhost:8080/health", failed = { "broken" } }

return {
  recipe = "http",
  {
    name = "ServiceDown waits while there are answers",
    waiter = "ServiceDown",
    input = { url = "localhost:8080/health" },
    answers = {
      { output = { status = "UP" } },
      { error = { type = "ServiceUnavailable", status = 503 } },
      { error = { type = "Http404", status = 404 } },
      { error = { type = "UnexpectedStatus" }, duration = 300 },
      { error = { type = "ConnectionRefused" } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 0.05, 0.05, 2.86 } },
  },
  {
    name = "ServiceDown succeeds: a status by which a gateway says so",
    waiter = "ServiceDown",
    input = { url = "localhost:8080/health", down = { "503" } },
    answers = { { error = { type = "ServiceUnavailable", status = 503 } } },
    expect = { state = "success", reason = "acceptor", attempts = 1 },
  },
  shapes.fails("ServiceDown", "an answer that the input calls failed", input, { error = { type = "FailedValue" } }),
  shapes.succeeds("ServiceHealthy", { url = "localhost:8080/health" }, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "Http404", status = 404 } },
    { error = { type = "UnexpectedValue" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { status = "UP" } },
  }, { 0.05, 0.05, 0.05, 2.86 }),
  shapes.fails("ServiceHealthy", "an answer that the input calls failed", input, { error = { type = "FailedValue" } }),
  {
    name = "ServiceHealthy sends its method, headers and body",
    input = { url = "http://localhost:8080/search", method = "POST", headers = { "X-Team: web" }, body = "{}",
      path = "found" },
    exchanges = {
      { request = { method = "POST", url = "http://localhost:8080/search", headers = { ["X-Team"] = "web" }, body = "{}" },
        response = { status = 503 } },
      { request = { method = "POST", url = "http://localhost:8080/search" }, response = { json = { found = false } } },
      { request = { method = "POST", url = "http://localhost:8080/search" }, response = { json = { found = true } } },
    },
    expect = { state = "success", attempts = 3, requests = 3 },
  },
}
