---Cases of the recipe consul. `answers` are in place of its requests, so they test acceptors and delays.
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
}
