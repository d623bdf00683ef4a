---The server takes an empty name in a list of indices for all of them, as `$FIRST,$SECOND` is while neither is set: IndexGone
---succeeded by a cluster without documents. A script could give an empty name by itself as well, and got the documents of all
---indices.

local Server = require "spec.support.server"
local Workspace = require "spec.support.workspace"
local elasticsearch = require "bide.elasticsearch"

local EMPTY = '{"count":0,"_shards":{"total":1,"successful":1,"skipped":0,"failed":0}}'

describe("an index that is an empty name", function()
  local workspace = Workspace.of_each()
  local server = Server.of_each(function()
    return { headers = { ["Content-Type"] = "application/json" }, body = EMPTY }
  end)

  it("is a mistake on the command line", function()
    for _, waiter in ipairs { "IndexGone", "DocumentsGone", "DocumentsFound", "ElasticsearchHealthy" } do
      for _, index in ipairs { ",", "orders,", ",orders", "a,,b" } do
        local done = workspace:bide { "run", "elasticsearch", waiter, server.url, "index=" .. index, "--max-wait", "50s" }
        assert.equal(2, done.code, waiter .. " " .. index .. done.stdout)
        assert.matches("index: expected a name between two commas", done.stderr, 1, true)
      end
    end
    assert.equal(0, #server.requests)
  end)

  it("is a mistake of a script", function()
    for _, name in ipairs { "count", "health" } do
      for _, index in ipairs { "", " ", ",", "a/b", "a?q=b" } do
        assert.error_matches(function() elasticsearch[name] { url = server.url, index = index } end,
          "elasticsearch%." .. name .. ": index: expected a name")
      end
    end
    assert.error_matches(function() elasticsearch.count { url = server.url } end, "index: expected a name.*found nothing")
    assert.equal(0, #server.requests)
  end)
end)
