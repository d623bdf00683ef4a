---Cases of the recipe prometheus. `answers` are in place of its requests, so they test acceptors and delays.
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
}
