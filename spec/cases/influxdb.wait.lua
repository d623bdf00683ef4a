---Cases of the recipe influxdb. `answers` are in place of its requests, so they test acceptors and delays.
return {
  recipe = "influxdb",
  {
    name = "InfluxdbHealthy tries again until it succeeds",
    waiter = "InfluxdbHealthy",
    input = { url = "localhost:8086" },
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = { status = "pass" } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
}
