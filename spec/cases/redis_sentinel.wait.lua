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
}
