---Cases of the recipe cassandra. `answers` are in place of its requests, so they test acceptors and delays.

local shapes = require "shapes"

local input = { url = "db1,db2:9042" }

return {
  recipe = "cassandra",
  shapes.succeeds("CassandraReady", input, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = {} },
  }, { 0.05, 2.86 }),
  shapes.fails("CassandraReady", "BadCredentials", input),
}
