---Cases of the recipe memcached. `answers` are in place of its requests, so they test acceptors and delays;
---with `dialogue` it sends them.

local shapes = require "shapes"

return {
  recipe = "memcached",
  shapes.succeeds("MemcachedReady", nil, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = {} },
  }, { 0.05, 2.86 }),
  {
    name = "MemcachedReady asks for the version, and for a key",
    waiter = "MemcachedReady",
    input = { url = "127.0.0.1:11211" },
    dialogue = {
      { { refuse = "ECONNREFUSED" } },
      {
        { receive = "version\r\n", send = "VERSION 1.6.18\r\n" },
        { receive = "get bide\r\n", send = "END\r\n" },
      },
    },
    expect = { state = "success", attempts = 2 },
  },
}
