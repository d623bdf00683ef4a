---Cases of the recipe memcached. `answers` are in place of its requests, so they test acceptors and delays.
return {
  recipe = "memcached",
  {
    name = "MemcachedReady tries again until it succeeds",
    waiter = "MemcachedReady",
    answers = {
      { error = { type = "ConnectionRefused" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = {} },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
}
