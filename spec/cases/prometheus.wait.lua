---Cases of the recipe prometheus. `answers` are in place of its requests, so they test acceptors and delays;
---with `exchanges` it sends them.

local shapes = require "shapes"

local input = { query = "up == 0", url = "localhost:9090" }

return {
  recipe = "prometheus",
  shapes.succeeds("PrometheusReady", { url = "localhost:9090" }, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = {} },
  }, { 0.05, 2.86 }),
  shapes.succeeds("ResultEmpty", input, {
    { error = { type = "PartialResult" } },
    { output = { failed = {}, result = { { value = { 1, "0" } } } } },
    { output = { failed = {}, result = {}, unproven = true } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { failed = {}, result = {} } },
  }, { 0.05, 0.05, 0.05, 2.86 }),
  shapes.fails("ResultEmpty", "a rule that fails", input, { output = { failed = { "up" }, result = {} } }),
  shapes.succeeds("ResultFound", input, {
    { error = { type = "ConnectionRefused" } },
    { output = { failed = {}, result = {} } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { failed = {}, result = { { value = { 1, "1" } } } } },
  }, { 0.05, 0.05, 2.86 }),
  shapes.fails("ResultFound", "a rule that fails", input, { output = { failed = { "up" }, result = {} } }),
  {
    name = "ResultFound sends its query, and the headers of the input",
    waiter = "ResultFound",
    input = { url = "localhost:9090", query = 'up{job="web"} == 1', headers = { ["X-Scope-OrgID"] = "shop" } },
    exchanges = {
      {
        request = { url = "http://localhost:9090/api/v1/query?query=up%7Bjob%3D%22web%22%7D%20%3D%3D%201",
          headers = { ["X-Scope-OrgID"] = "shop" } },
        response = { json = { status = "success", data = { resultType = "vector", result = {} } } },
      },
      {
        request = { url = "http://localhost:9090/api/v1/query?query=up%7Bjob%3D%22web%22%7D%20%3D%3D%201" },
        response = { json = { status = "success", data = { resultType = "vector",
          result = { { metric = { job = "web" }, value = { 1700000000, "1" } } } } } },
      },
    },
    expect = { state = "success", attempts = 2, requests = 2 },
  },
}
