---Cases of the recipe etcd. `answers` are in place of its requests, so they test acceptors and delays;
---with `exchanges` it sends them.

local shapes = require "shapes"

local input = { key = "/jobs/1", url = "localhost:2379" }

return {
  recipe = "etcd",
  shapes.succeeds("EtcdHealthy", { url = "localhost:2379" }, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { health = "true" } },
  }, { 0.05, 2.86 }),
  shapes.succeeds("KeyDeleted", input, {
    { output = {} },
    { error = { type = "KeyFailed" } },
    { error = { type = "UnexpectedValue" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { error = { type = "KeyNotFound" } },
  }, { 0.05, 0.05, 0.05, 2.86 }),
  shapes.succeeds("KeyExists", input, {
    { error = { type = "KeyNotFound" } },
    { error = { type = "UnexpectedValue" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = {} },
  }, { 0.05, 0.05, 2.86 }),
  shapes.fails("KeyExists", "KeyFailed", input),
  {
    name = "KeyExists sends its key in base64",
    waiter = "KeyExists",
    input = { url = "localhost:2379", key = "/jobs/1", value = "done" },
    exchanges = {
      {
        request = { method = "POST", url = "http://localhost:2379/v3/kv/range", json = { key = "L2pvYnMvMQ==" } },
        response = { json = { header = { revision = "7" } } },
      },
      {
        request = { method = "POST", url = "http://localhost:2379/v3/kv/range", json = { key = "L2pvYnMvMQ==" } },
        response = { json = { header = { revision = "8" }, kvs = { { key = "L2pvYnMvMQ==", value = "ZG9uZQ==" } } } },
      },
      {
        request = { method = "POST", url = "http://localhost:2379/v3/kv/range",
          json = { key = "L2pvYnMvMQ==", revision = "9223372036854775807" } },
        response = { status = 400, json = { error = "etcdserver: mvcc: required revision is a future revision", code = 11 } },
      },
    },
    expect = { state = "success", attempts = 2, requests = 3, output = { ["/jobs/1"] = "done" } },
  },
}
