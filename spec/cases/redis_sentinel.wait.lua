---Cases of the recipe redis_sentinel. `answers` are in place of its requests, so they test acceptors and delays.
return {
  recipe = "redis_sentinel",
  {
    name = "MasterReady fails: WRONGPASS",
    waiter = "MasterReady",
    input = { sentinels = "sentinel1,sentinel2:26379" },
    answers = { { error = { type = "WRONGPASS" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "MasterReady fails: NOAUTH",
    waiter = "MasterReady",
    input = { sentinels = "sentinel1,sentinel2:26379" },
    answers = { { error = { type = "NOAUTH" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "MasterReady tries again until it succeeds",
    waiter = "MasterReady",
    input = { sentinels = "sentinel1,sentinel2:26379" },
    answers = {
      { error = { type = "ERR" } },
      { output = { flags = "master", role = "slave" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = { flags = "master", role = "master" } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 0.05, 2.86 } },
  },
}
