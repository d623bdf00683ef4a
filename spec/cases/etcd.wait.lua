---Cases of the recipe etcd. `answers` are in place of its requests, so they test acceptors and delays;
---with `exchanges` it sends them.
return {
  recipe = "etcd",
  {
    name = "EtcdHealthy tries again until it succeeds",
    waiter = "EtcdHealthy",
    input = { url = "localhost:2379" },
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = { health = "true" } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
  {
    name = "KeyDeleted tries again until it succeeds",
    waiter = "KeyDeleted",
    input = { key = "/jobs/1", url = "localhost:2379" },
    answers = {
      { output = {} },
      { error = { type = "KeyFailed" } },
      { error = { type = "UnexpectedValue" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { error = { type = "KeyNotFound" } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 0.05, 0.05, 2.86 } },
  },
  {
    name = "KeyExists tries again until it succeeds",
    waiter = "KeyExists",
    input = { key = "/jobs/1", url = "localhost:2379" },
    answers = {
      { error = { type = "KeyNotFound" } },
      { error = { type = "UnexpectedValue" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = {} },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 0.05, 2.86 } },
  },
  {
    name = "KeyExists fails: KeyFailed",
    waiter = "KeyExists",
    input = { key = "/jobs/1", url = "localhost:2379" },
    answers = { { error = { type = "KeyFailed" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
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
