---Cases of the recipe amqp. `answers` are in place of its requests, so they test acceptors and delays.

local shapes = require "shapes"

local input = { queue = "jobs" }

return {
  recipe = "amqp",
  shapes.succeeds("AmqpReady", nil, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = {} },
  }, { 0.05, 2.86 }),
  shapes.fails("AmqpReady", "AccessRefused"),
  shapes.fails("AmqpReady", "NotAllowed"),
  shapes.succeeds("QueueExists", input, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = {} },
  }, { 0.05, 2.86 }),
  shapes.fails("QueueExists", "AccessRefused", input),
  shapes.fails("QueueExists", "NotAllowed", input),
  shapes.succeeds("QueueGone", input, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { error = { type = "NotFound" } },
  }, { 0.05, 2.86 }),
  shapes.fails("QueueGone", "AccessRefused", input),
  shapes.fails("QueueGone", "NotAllowed", input),
}
