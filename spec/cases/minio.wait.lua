---Cases of the recipe minio. `answers` are in place of its requests, so they test acceptors and delays.
return {
  recipe = "minio",
  {
    name = "MinioLive tries again until it succeeds",
    waiter = "MinioLive",
    input = { url = "localhost:9000" },
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = {} },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
  {
    name = "MinioReadable tries again until it succeeds",
    waiter = "MinioReadable",
    input = { url = "localhost:9000" },
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = {} },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
  {
    name = "MinioReady tries again until it succeeds",
    waiter = "MinioReady",
    input = { url = "localhost:9000" },
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = {} },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
}
