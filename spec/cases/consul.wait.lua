---Cases of the recipe consul. `answers` are in place of its requests, so they test acceptors and delays;
---with `exchanges` it sends them.
return {
  recipe = "consul",
  {
    name = "ConsulReady tries again until it succeeds",
    waiter = "ConsulReady",
    input = { url = "localhost:8500" },
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "NoLeader" } },
      { output = "" },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = "127.0.0.1:8300" },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 0.05, 0.05, 2.86 } },
  },
  {
    name = "ServicePassing tries again until it succeeds",
    waiter = "ServicePassing",
    input = { url = "localhost:8500", service = "web", count = 2 },
    answers = {
      { error = { type = "NoLeader" } },
      { output = { { Service = { ID = "web1" } } } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = { { Service = { ID = "web1" } }, { Service = { ID = "web2" } } } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 0.05, 2.86 } },
  },
  {
    name = "ServiceGone tries again until it succeeds",
    waiter = "ServiceGone",
    input = { url = "localhost:8500", service = "web" },
    answers = {
      { error = { type = "NoLeader" } },
      { output = { { Service = { ID = "web1" } } } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = {} },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 0.05, 2.86 } },
  },
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
