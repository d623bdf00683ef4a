---Cases of the recipe redis. `answers` are in place of its requests, so they test acceptors and delays;
---with `dialogue` it sends them.

local shapes = require "shapes"

local input = { name = "jobs:import" }

return {
  recipe = "redis",
  shapes.succeeds("KeyExists", input, {
    { error = { type = "KeyNotFound" } },
    { error = { type = "UnexpectedValue" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = {} },
  }, { 0.05, 0.05, 2.86 }),
  shapes.fails("KeyExists", "KeyFailed", input),
  shapes.fails("KeyExists", "WRONGPASS", input),
  shapes.fails("KeyExists", "NOAUTH", input),
  shapes.succeeds("KeyGone", input, {
    { error = { type = "KeyFound" } },
    { error = { type = "ReplicaUnlinked" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = {} },
  }, { 0.05, 0.05, 2.86 }),
  shapes.fails("KeyGone", "WRONGPASS", input),
  shapes.fails("KeyGone", "NOAUTH", input),
  shapes.succeeds("RedisReady", nil, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = {} },
  }, { 0.05, 2.86 }),
  shapes.fails("RedisReady", "WRONGPASS"),
  shapes.fails("RedisReady", "NOAUTH"),
  shapes.succeeds("ReplicaLinked", nil, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { link = "up" } },
  }, { 0.05, 2.86 }),
  shapes.fails("ReplicaLinked", "role stringEquals master", nil, { output = { role = "master" } }),
  shapes.fails("ReplicaLinked", "WRONGPASS"),
  shapes.fails("ReplicaLinked", "NOAUTH"),
  {
    name = "RedisReady sends PING and EXISTS, and waits while the data is loaded",
    waiter = "RedisReady",
    input = { url = "127.0.0.1:6379" },
    dialogue = {
      { { refuse = "ECONNREFUSED" } },
      { { receive = "*1\r\n$4\r\nPING\r\n", send = "-LOADING Redis is loading the dataset in memory\r\n" } },
      { { receive = "*1\r\n$4\r\nPING\r\n", send = "+PONG\r\n" } },
      { { receive = "*2\r\n$6\r\nEXISTS\r\n$4\r\nbide\r\n", send = ":0\r\n" } },
    },
    expect = { state = "success", attempts = 3 },
  },
}
