---Cases of the recipe grpc. `answers` are in place of its requests, so they test acceptors and delays.

local shapes = require "shapes"

return {
  recipe = "grpc",
  shapes.succeeds("GrpcServing", nil, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { status = "SERVING" } },
  }, { 0.05, 2.86 }),
  shapes.fails("GrpcServing", "UNIMPLEMENTED"),
}
