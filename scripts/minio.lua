---Waits until MinIO takes writes: its cluster has a quorum. Or, with MinioReadable, until it can be read; with MinioLive,
---until a node answers, even if it still waits for the other nodes.
---MinIO is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run minio localhost:9000 --max-wait 1m
---    bide run minio node2:9000 maintenance=true --max-wait 10m
---    bide run minio MinioLive https://objects:9000 ca=ca.pem --max-wait 1m

local acceptor, http = require "bide.acceptor", require "bide.http"

---The console, which has a port of its own, answers every path with its page.
local function read(response, quorum)
  local output = { server = response:header "server", quorum = quorum and response:header(quorum) }
  local is_minio = quorum and tostring(output.quorum):find "^%d+$"
    or not quorum and ((output.server or ""):find "^MinIO" or response:header "x-amz-request-id")
  local is_health = response.body == "" and is_minio
  return is_health and output or error { type = "InvalidAnswer", message = "this is not MinIO's API; has the console answered?" }
end

local function operation(path, quorum, name, text, witness)
  local function call(input)
    local response = http.request(http.request_of(input, path, input.maintenance and { maintenance = "true" } or nil))
    return response.ok and read(response, quorum) or error(response:operation_error())
  end
  return { call = call, check = http.mistake, default = name == "MinioReady" and name or nil,
    input = http.service_inputs("localhost:9000", { maintenance = quorum and { type = "boolean",
      documentation = "Whether the cluster must keep its quorum without this node, which then may be stopped." } }),
    waitable = { [name] = { documentation = text, countsAsReady = witness, minDelay = 0.05, maxDelay = 5, lateness = 0.05,
      acceptors = { acceptor.success(), acceptor.transient "PreconditionFailed" } } } }
end

return {
  GetCluster = operation("/minio/health/cluster", "x-minio-write-quorum", "MinioReady", "Waits until MinIO takes writes.",
    "/minio/health/cluster answers 200 without a body, and the quorum of writes in X-Minio-Write-Quorum"),
  GetReads = operation("/minio/health/cluster/read", "x-minio-read-quorum", "MinioReadable", "Waits until MinIO can be read.",
    "/minio/health/cluster/read answers 200 without a body, and the quorum of reads in X-Minio-Read-Quorum"),
  GetLive = operation("/minio/health/live", nil, "MinioLive", "Waits until a node of MinIO answers.",
    "/minio/health/live answers 200 without a body, as the server MinIO, or behind a proxy with X-Amz-Request-Id"),
}
