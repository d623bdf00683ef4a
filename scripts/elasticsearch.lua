---Waits until Elasticsearch or OpenSearch is healthy: its cluster, or one index, is yellow (each primary shard is
---there) or green (each replica too). Or, with DocumentsFound, until a search of an index finds documents; with
---DocumentsGone, until it finds none; with IndexGone, until there is no such index.
---The cluster is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run elasticsearch localhost:9200 nodes=3 --max-wait 2m
---    bide run elasticsearch https://search:9200 status=green index=orders user=@env:ELASTIC ca=ca.pem --max-wait 5m
---    bide run elasticsearch DocumentsFound localhost:9200 orders 'state:done' count=5 --max-wait 5m
---
---user is `name:password`. A missing user is a failure, and so is one without permission. A wrong password is a failure
---with OpenSearch only, since Elasticsearch refuses all users for a moment while it starts.

local acceptor, elasticsearch, http = require "bide.acceptor", require "bide.elasticsearch", require "bide.http"

local function waiter(text, opposite, success)
  return { documentation = text, opposite = opposite, minDelay = 0.05, maxDelay = 5, lateness = 0.05, acceptors = { success,
    acceptor.error("failure", "Unauthorized"), { state = "failure", matcher = { status = 403 } },
    acceptor.transient "security_exception" } }
end
local function inputs(own) return http.service_inputs("localhost:9200", own) end
local name = "^[^/?#%s]+$"

return { GetHealth = { call = elasticsearch.health, check = http.mistake, default = "ElasticsearchHealthy", input = inputs {
  status = { type = "string", asks = true, values = { "yellow", "green" }, default = "yellow",
    documentation = "The least status." },
  index = { type = "string", asks = true, pattern = name, example = "orders", documentation = "An index. Default: the cluster." },
  nodes = { type = "integer", asks = true, minimum = 1, default = 1,
    documentation = "The least number of nodes in the cluster." },
}, waitable = { ElasticsearchHealthy = waiter("Waits until the cluster, or an index, is healthy.", nil,
  acceptor.output("success", "state", "ready")) } }, Count = { call = elasticsearch.count, check = http.mistake,
  input = inputs { index = { type = "string", asks = true, pattern = name, required = true, positional = 2, example = "orders",
      documentation = "The index." },
    query = { type = "string", asks = true, default = "*", positional = 3, example = "state:done",
      documentation = "A query string." },
    count = { type = "integer", asks = true, minimum = 1, default = 1, documentation = "The least number of documents." },
}, waitable = {
  DocumentsFound = waiter("Waits until a search finds documents.", "DocumentsGone",
    acceptor.output("success", "state", "found")),
  DocumentsGone = waiter("Waits until a search finds none.", "DocumentsFound",
    acceptor.output("success", "complete && count == `0`")),
  IndexGone = waiter("Waits until an index is gone.", nil, acceptor.output("success", "exists == `false`")) } } }
