---Cases of the recipe consul. `answers` are in place of its requests, so they test acceptors and delays;
---with `exchanges` it sends them.

local shapes = require "shapes"

return {
  recipe = "consul",
  shapes.succeeds("ConsulReady", { url = "localhost:8500" }, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "NoLeader" } },
    { output = "" },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = "127.0.0.1:8300" },
  }, { 0.05, 0.05, 0.05, 2.86 }),
  shapes.succeeds("ServicePassing", { url = "localhost:8500", service = "web", count = 2 }, {
    { error = { type = "NoLeader" } },
    { output = { { Service = { ID = "web1" } } } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { { Service = { ID = "web1" } }, { Service = { ID = "web2" } } } },
  }, { 0.05, 0.05, 2.86 }),
  shapes.succeeds("ServiceGone", { url = "localhost:8500", service = "web" }, {
    { error = { type = "NoLeader" } },
    { output = { { Service = { ID = "web1" } } } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = {} },
  }, { 0.05, 0.05, 2.86 }),
  {
    name = "ServicePassing asks for the instances that pass, with its token",
    waiter = "ServicePassing",
    input = { url = "localhost:8500", service = "web", tag = "v2", bearer = "the-token" },
    exchanges = {
      {
        request = { url = "http://localhost:8500/v1/health/service/web?passing=true&tag=v2",
          headers = { Authorization = "Bearer the-token" } },
        response = { status = 500, body = "No cluster leader" },
      },
      {
        request = { url = "http://localhost:8500/v1/health/service/web?passing=true&tag=v2" },
        response = {
          headers = { ["X-Consul-Index"] = "22", ["X-Consul-KnownLeader"] = "true",
            ["X-Consul-Default-Acl-Policy"] = "allow" },
          json = { { Service = { ID = "web1", Service = "web", Tags = { "v2" } }, Checks = { { Status = "passing" } } } },
        },
      },
    },
    expect = { state = "success", attempts = 2, requests = 2 },
  },
}
