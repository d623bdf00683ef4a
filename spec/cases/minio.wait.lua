---Cases of the recipe minio. `answers` are in place of its requests, so they test acceptors and delays;
---with `exchanges` it sends them.

local shapes = require "shapes"

local input = { url = "localhost:9000" }

return {
  recipe = "minio",
  shapes.succeeds("MinioLive", input, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = {} },
  }, { 0.05, 2.86 }),
  shapes.succeeds("MinioReadable", input, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = {} },
  }, { 0.05, 2.86 }),
  shapes.succeeds("MinioReady", input, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = {} },
  }, { 0.05, 2.86 }),
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
