---Cases of the recipe prometheus. `answers` are in place of its requests, so they test acceptors and delays;
---with `exchanges` it sends them.
return {
  recipe = "prometheus",
  {
    name = "PrometheusReady tries again until it succeeds",
    waiter = "PrometheusReady",
    input = { url = "localhost:9090" },
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = {} },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
  {
    name = "ResultEmpty tries again until it succeeds",
    waiter = "ResultEmpty",
    input = { query = "up == 0", url = "localhost:9090" },
    answers = {
      { error = { type = "PartialResult" } },
      { output = { failed = {}, result = { { value = { 1, "0" } } } } },
      { output = { failed = {}, result = {}, unproven = true } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = { failed = {}, result = {} } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 0.05, 0.05, 2.86 } },
  },
  {
    name = "ResultEmpty fails: a rule that fails",
    waiter = "ResultEmpty",
    input = { query = "up == 0", url = "localhost:9090" },
    answers = { { output = { failed = { "up" }, result = {} } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "ResultFound tries again until it succeeds",
    waiter = "ResultFound",
    input = { query = "up == 0", url = "localhost:9090" },
    answers = {
      { error = { type = "ConnectionRefused" } },
      { output = { failed = {}, result = {} } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = { failed = {}, result = { { value = { 1, "1" } } } } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 0.05, 2.86 } },
  },
  {
    name = "ResultFound fails: a rule that fails",
    waiter = "ResultFound",
    input = { query = "up == 0", url = "localhost:9090" },
    answers = { { output = { failed = { "up" }, result = {} } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
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
