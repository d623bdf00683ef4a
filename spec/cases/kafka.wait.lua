---Cases of the recipe kafka. `answers` are in place of its requests, so they test acceptors and delays.

local shapes = require "shapes"

local brokers = { url = "broker1,broker2:9092" }
local topic = { topic = "orders", url = "broker1,broker2:9092" }

return {
  recipe = "kafka",
  shapes.succeeds("KafkaReady", brokers, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { ready = true } },
  }, { 0.05, 2.86 }),
  shapes.fails("KafkaReady", "SaslAuthenticationFailed", brokers),
  shapes.fails("KafkaReady", "UnsupportedSaslMechanism", brokers),
  shapes.succeeds("TopicGone", topic, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { gone = true } },
  }, { 0.05, 2.86 }),
  shapes.fails("TopicGone", "SaslAuthenticationFailed", topic),
  shapes.fails("TopicGone", "UnsupportedSaslMechanism", topic),
  shapes.succeeds("TopicReady", topic, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { ready = true } },
  }, { 0.05, 2.86 }),
  shapes.fails("TopicReady", "SaslAuthenticationFailed", topic),
  shapes.fails("TopicReady", "UnsupportedSaslMechanism", topic),
}
