---Cases of the recipe minio. `answers` are in place of its requests, so they test acceptors and delays;
---with `exchanges` it sends them.
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
  {
    name = "MinioReady asks for the health of the cluster",
    waiter = "MinioReady",
    input = { url = "localhost:9000", maintenance = true },
    exchanges = {
      {
        request = { url = "http://localhost:9000/minio/health/cluster?maintenance=true" },
        response = { status = 412, headers = { Server = "MinIO", ["X-Minio-Write-Quorum"] = "3" } },
      },
      {
        request = { url = "http://localhost:9000/minio/health/cluster?maintenance=true" },
        response = { headers = { Server = "MinIO", ["X-Minio-Write-Quorum"] = "3" } },
      },
    },
    expect = { state = "success", attempts = 2, requests = 2 },
  },
}
