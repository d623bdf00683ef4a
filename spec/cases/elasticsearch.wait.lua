---Cases of the recipe elasticsearch. `answers` are in place of its requests, so they test acceptors and delays;
---with `exchanges` it sends them.

local shapes = require "shapes"

local index = { index = "orders", url = "localhost:9200" }
local server = { url = "localhost:9200" }

return {
  recipe = "elasticsearch",
  shapes.succeeds("DocumentsFound", index, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { state = "found" } },
  }, { 0.05, 2.86 }),
  shapes.fails("DocumentsFound", "Unauthorized", index),
  shapes.fails("DocumentsFound", "Http403", index, { error = { type = "Http403", status = 403 } }),
  shapes.fails("DocumentsGone", "Unauthorized", index),
  shapes.fails("DocumentsGone", "Http403", index, { error = { type = "Http403", status = 403 } }),
  shapes.succeeds("ElasticsearchHealthy", server, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { state = "ready" } },
  }, { 0.05, 2.86 }),
  shapes.fails("ElasticsearchHealthy", "Unauthorized", server),
  shapes.fails("ElasticsearchHealthy", "Http403", server, { error = { type = "Http403", status = 403 } }),
  shapes.fails("IndexGone", "Unauthorized", index),
  shapes.fails("IndexGone", "Http403", index, { error = { type = "Http403", status = 403 } }),
  shapes.succeeds("DocumentsGone", index, {
    { error = { type = "index_closed_exception" } },
    { output = { complete = true, count = 3, exists = true } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { complete = true, count = 0, exists = true } },
  }, { 0.05, 0.05, 2.86 }),
  {
    name = "DocumentsGone believes no index that is missing, and no shard that does not answer",
    waiter = "DocumentsGone",
    input = index,
    answers = {
      { output = { complete = true, count = 0, exists = false } },
      { output = { complete = false, count = 0, exists = true } },
      { output = { complete = true, count = 0, exists = true } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 0.05 } },
  },
  {
    name = "DocumentsGone succeeds: an index that may be missing",
    waiter = "DocumentsGone",
    input = { index = "orders", url = "localhost:9200", missing = true },
    answers = { { output = { complete = true, count = 0, exists = false } } },
    expect = { state = "success", reason = "acceptor", attempts = 1 },
  },
  shapes.succeeds("IndexGone", index, {
    { error = { type = "security_exception" } },
    { output = { exists = true } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { exists = false } },
  }, { 0.05, 0.05, 2.86 }),
  {
    name = "ElasticsearchHealthy asks for the health, and is told at once",
    waiter = "ElasticsearchHealthy",
    input = { url = "localhost:9200", status = "green" },
    exchanges = {
      {
        request = { url = "http://localhost:9200/_cluster/health?timeout=0s" },
        response = { json = { cluster_name = "shop", status = "yellow", number_of_nodes = 1, timed_out = false } },
      },
      {
        request = { url = "http://localhost:9200/_cluster/health?timeout=0s" },
        response = { json = { cluster_name = "shop", status = "green", number_of_nodes = 1, timed_out = false } },
      },
    },
    expect = { state = "success", attempts = 2, requests = 2 },
  },
}
