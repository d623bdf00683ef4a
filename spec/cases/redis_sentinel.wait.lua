---Cases of the recipe redis_sentinel. `answers` are in place of its requests, so they test acceptors and delays.

local shapes = require "shapes"

local input = { sentinels = "sentinel1,sentinel2:26379" }

return {
  recipe = "redis_sentinel",
  shapes.fails("MasterReady", "WRONGPASS", input),
  shapes.fails("MasterReady", "NOAUTH", input),
  shapes.succeeds("MasterReady", input, {
    { error = { type = "ERR" } },
    { output = { flags = "master", role = "slave" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { flags = "master", role = "master" } },
  }, { 0.05, 0.05, 2.86 }),
}
