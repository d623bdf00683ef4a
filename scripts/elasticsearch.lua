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
---
---An index that does not exist is not empty: DocumentsGone waits for it, unless `missing=true`. Before a pattern is found
---empty or gone, closed and hidden indices are looked for, and Elasticsearch is asked whether the user may read all that the
---pattern may fit; a user that may not is a failure, unless `unseen=true`. OpenSearch cannot be asked that: with
---do_not_fail_on_forbidden, it leaves out what the user may not read.

local acceptor = require "bide.acceptor"
local elasticsearch = require "bide.elasticsearch"
local service = require "bide.service"

local operation = service { http = "localhost:9200", transient = { "security_exception", "index_closed_exception" } }

---Returns the acceptors of a waiter, with those for a user without permission.
local function acceptors(success)
  return {
    success,
    acceptor.error("failure", "Unauthorized"),
    { state = "failure", matcher = { status = 403 } },
  }
end

local index = elasticsearch.index

local is_empty = acceptor.input_output("success",
  "output.complete && output.count == `0` && (output.exists || input.missing)")

return {
  GetHealth = operation {
    prepare = elasticsearch.prepare_health,
    inputs = {
      status = {
        type = "string", asks = true, values = { "yellow", "green" }, default = "yellow",
        documentation = "The least status.",
      },
      index = {
        type = "string", asks = true, pattern = index.pattern, expected = index.expected, example = "orders",
        documentation = "An index. Default: the cluster.",
      },
      nodes = {
        type = "integer", asks = true, minimum = 1, default = 1,
        documentation = "The least number of nodes in the cluster.",
      },
    },
    default = "ElasticsearchHealthy",
    waitable = {
      ElasticsearchHealthy = {
        documentation = "Waits until the cluster, or an index, is healthy.",
        countsAsReady =
          "/_cluster/health names the status, or a better one, and enough nodes; for an index, one that exists at least",
        acceptors = acceptors(acceptor.output("success", "state", "ready")),
      },
    },
  },
  Count = operation {
    prepare = elasticsearch.prepare_count,
    witness = elasticsearch.confirm_count,
    output = {
      state = { type = "string" },
      count = { type = "integer" },
      exists = { type = "boolean" },
      complete = { type = "boolean" },
    },
    inputs = {
      index = {
        type = "string", asks = true, pattern = index.pattern, expected = index.expected, required = true, positional = 2,
        example = "orders",
        documentation = "The index, a pattern, or several with commas between them.",
      },
      query = {
        type = "string", asks = true, default = "*", positional = 3, example = "state:done",
        documentation = "A query string.",
      },
      count = { type = "integer", asks = true, minimum = 1, default = 1, documentation = "The least number of documents." },
      missing = {
        type = "boolean", default = false,
        documentation = "Whether an index that does not exist counts as empty.",
      },
      unseen = {
        type = "boolean", default = false,
        documentation =
          "Whether indices that the user may not read count as gone. Without it, a pattern asks for the user's privileges.",
      },
    },
    waitable = {
      DocumentsFound = {
        documentation = "Waits until a search finds documents.",
        countsAsReady = "_count of the index counts as many documents, and refuses a parameter that it does not know",
        opposite = "DocumentsGone",
        acceptors = acceptors(acceptor.output("success", "state", "found")),
      },
      DocumentsGone = {
        documentation = "Waits until a search finds none.",
        countsAsGone = "_count of an index that exists counts 0, in each of its shards; of a pattern, closed and hidden ones "
          .. "included; and it refuses a parameter that it does not know",
        acceptors = acceptors(is_empty),
      },
      IndexGone = {
        documentation = "Waits until an index is gone.",
        countsAsGone =
          "_count is refused with 404 and index_not_found_exception of that name, for each, to a user that may read them; a "
          .. "parameter that it does not know is refused with 400",
        acceptors = acceptors(acceptor.output("success", "exists == `false`")),
      },
    },
  },
}
