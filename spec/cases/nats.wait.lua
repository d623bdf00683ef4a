---Cases of the recipe nats. `answers` are in place of its requests, so they test acceptors and delays.

local shapes = require "shapes"

return {
  recipe = "nats",
  shapes.succeeds("NatsReady", nil, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = {} },
  }, { 0.05, 2.86 }),
  shapes.fails("NatsReady", "AuthorizationViolation"),
  shapes.fails("NatsReady", "PermissionsViolation"),
  shapes.succeeds("StreamsReady", nil, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = {} },
  }, { 0.05, 2.86 }),
  shapes.fails("StreamsReady", "AuthorizationViolation"),
  shapes.fails("StreamsReady", "PermissionsViolation"),
}
