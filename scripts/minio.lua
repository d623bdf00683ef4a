---Waits until MinIO takes writes: its cluster has a quorum. Or, with MinioReadable, until it can be read; with MinioLive,
---until a node answers, even if it still waits for the other nodes.
---MinIO is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run minio localhost:9000 --max-wait 1m
---    bide run minio node2:9000 maintenance=true --max-wait 10m
---    bide run minio MinioLive https://objects:9000 ca=ca.pem --max-wait 1m

local acceptor = require "bide.acceptor"
local http = require "bide.http"
local service = require "bide.service"

local operation = service { http = "localhost:9000", transient = { "PreconditionFailed" } }

---The console, which has a port of its own, answers every path with its page.
local function read(response, quorum)
  local output = { server = response:header "server", quorum = quorum and response:header(quorum) }
  local is_minio = quorum and tostring(output.quorum):find "^[1-9]%d*$"
    or not quorum and ((output.server or ""):find "^MinIO" or response:header "x-amz-request-id")
  local is_health = response.status == 200 and response.body == "" and is_minio
  return is_health and output or error { type = "InvalidAnswer", message = "this is not MinIO's API; has the console answered?" }
end

---Prepares a question for the health of a path; its answer has the header of a quorum.
local function prepare_for(path, quorum)
  return function(input)
    local get = http.prepare(http.request_of(input, path, input.maintenance and { maintenance = "true" } or nil))
    return function()
      local response = get()
      if response.status >= 300 then error(response:operation_error()) end
      return read(response, quorum)
    end
  end
end

local of_cluster = {
  maintenance = {
    type = "boolean",
    documentation = "Whether the cluster must keep its quorum without this node, which then may be stopped.",
  },
}

return {
  GetCluster = operation {
    prepare = prepare_for("/minio/health/cluster", "x-minio-write-quorum"),
    inputs = of_cluster,
    default = "MinioReady",
    waitable = {
      MinioReady = {
        documentation = "Waits until MinIO takes writes.",
        countsAsReady =
          "/minio/health/cluster answers 200 without a body, and the quorum of writes in X-Minio-Write-Quorum",
        acceptors = { acceptor.success() },
      },
    },
  },
  GetReads = operation {
    prepare = prepare_for("/minio/health/cluster/read", "x-minio-read-quorum"),
    inputs = of_cluster,
    waitable = {
      MinioReadable = {
        documentation = "Waits until MinIO can be read.",
        countsAsReady =
          "/minio/health/cluster/read answers 200 without a body, and the quorum of reads in X-Minio-Read-Quorum",
        acceptors = { acceptor.success() },
      },
    },
  },
  GetLive = operation {
    prepare = prepare_for "/minio/health/live",
    waitable = {
      MinioLive = {
        documentation = "Waits until a node of MinIO answers.",
        countsAsReady =
          "/minio/health/live answers 200 without a body, as the server MinIO, or behind a proxy with X-Amz-Request-Id",
        acceptors = { acceptor.success() },
      },
    },
  },
}
