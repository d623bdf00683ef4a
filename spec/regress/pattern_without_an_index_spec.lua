---Elasticsearch is green for a pattern that fits no index, so that a wait for `logs-*` ended before there were any.

local elasticsearch = require "bide.elasticsearch"
local Server = require "spec.support.server"
local recorded = require("spec.support.recorded").rows "elasticsearch/elasticsearch-7.17.23"

describe("the health of a pattern of indices", function()
  it("is not that of no index", function()
    local server = Server.start(function() return recorded["no index for a pattern"] end)
    local health = elasticsearch.health { url = server.url, index = "ord*" }
    server:close()
    assert.same({ "green", "there is no such index" }, { health.status, health.state })
  end)
end)
