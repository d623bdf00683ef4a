---Waits until Elasticsearch or OpenSearch is healthy: its cluster, or one index, is yellow (each primary shard is
---there) or green (each replica too).
---The cluster is near, and a poll is cheap: the delays are 50 ms to 500 ms.
---
---    bide run elasticsearch localhost:9200 --max-wait 2m
---    bide run elasticsearch https://search:9200 status=green index=orders user=@env:ELASTIC ca=ca.pem --max-wait 5m

local acceptor, http = require "bide.acceptor", require "bide.http"

---An index that does not exist yet has the status 408, which is transient.
local function get_health(input)
  local path = "/_cluster/health" .. (input.index and "/" .. input.index or "")
  local response = http.request(http.request_of(input, path, { timeout = "0s" }))
  return response.ok and response:json() or error(response:operation_error())
end

local healthy = "output.status == 'green' || output.status == 'yellow' && input.status == 'yellow'"

return { GetHealth = { call = get_health, check = http.mistake, input = http.service_inputs("localhost:9200", {
  status = { type = "string", values = { "yellow", "green" }, default = "yellow", documentation = "The least status." },
  index = { type = "string", pattern = "^[^/?#%s]+$", example = "orders", documentation = "An index. Default: the cluster." },
}), waitable = { ElasticsearchHealthy = { documentation = "Waits until the cluster, or an index, is healthy.",
  minDelay = 0.05, maxDelay = 0.5, acceptors = { acceptor.transient(),
    { state = "success", matcher = { inputOutput = { path = healthy, comparator = "booleanEquals", expected = "true" } } },
} } } } }
