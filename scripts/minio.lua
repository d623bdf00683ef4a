---Waits until MinIO takes writes: its cluster has a quorum. Or, with MinioLive, until a node answers.
---MinIO is near, and a poll is cheap: the delays are 50 ms to 250 ms.
---
---    bide run minio localhost:9000 --max-wait 1m
---    bide run minio MinioLive https://objects:9000 ca=ca.pem --max-wait 1m

local acceptor, http = require "bide.acceptor", require "bide.http"

local function ask(path)
  return function(input)
    local response = http.request(http.request_of(input, path))
    if not response.ok then error(response:operation_error()) end
    return { server = response:header "server", quorum = response:header "x-minio-write-quorum" }
  end
end

local function operation(path, name, text)
  return { call = ask(path), check = http.mistake, default = name == "MinioReady" and name or nil,
    input = http.service_inputs "localhost:9000", waitable = { [name] = { documentation = text, minDelay = 0.05, maxDelay = 0.25,
    acceptors = { acceptor.success(), acceptor.transient() } } } }
end

return { GetCluster = operation("/minio/health/cluster", "MinioReady", "Waits until MinIO takes writes."),
  GetLive = operation("/minio/health/live", "MinioLive", "Waits until a node of MinIO answers.") }
