---Cases of the recipe rabbitmq. `answers` are in place of its requests, so they test acceptors and delays;
---with `exchanges` it sends them.

local shapes = require "shapes"

local input = { queue = "jobs", url = "localhost:15672" }

return {
  recipe = "rabbitmq",
  shapes.fails("QueueDrained", "state stringEquals crashed", input, { output = { state = "crashed" } }),
  shapes.succeeds("QueueExists", input, {
    { error = { type = "QueueNotFound" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = {} },
  }, { 0.05, 2.86 }),
  shapes.succeeds("ClusterHealthy", { nodes = 2, url = "localhost:15672" }, {
    { error = { type = "NotFound" } },
    { error = { type = "Gone" } },
    { output = { nodes = { { running = true, mem_alarm = false, disk_free_alarm = false } } } },
    {
      output = { nodes = {
        { running = true, mem_alarm = true, disk_free_alarm = false },
        { running = true, mem_alarm = false, disk_free_alarm = false },
      } },
    },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    {
      output = { nodes = {
        { running = true, mem_alarm = false, disk_free_alarm = false },
        { running = true, mem_alarm = false, disk_free_alarm = false },
      } },
    },
  }, { 0.05, 0.05, 0.05, 0.05, 2.86 }),
  shapes.succeeds("QueueDrained", input, {
    { error = { type = "ConnectionRefused" } },
    { output = { messages = 2, state = "running" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { messages = 0, state = "running" } },
  }, { 0.05, 0.05, 2.86 }),
  {
    name = "QueueDrained believes an empty quorum queue only after the time that RabbitMQ takes to count",
    waiter = "QueueDrained",
    input = input,
    answers = {
      { output = { messages = 0, state = "running", type = "quorum" } },
      { output = { messages = 0, state = "running", type = "quorum" }, duration = 6 },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05 } },
  },
  {
    name = "ClusterHealthy asks as its user for the members of nodes that count",
    waiter = "ClusterHealthy",
    input = { url = "localhost:15672", user = "ops", password = "the-password" },
    exchanges = {
      {
        request = { url = "http://localhost:15672/api/nodes?"
          .. "columns=name%2Crunning%2Cmem_alarm%2Cdisk_free_alarm%2Cpartitions%2Cbeing_drained" },
        response = { json = { { name = "rabbit@a", running = false } } },
      },
      {
        request = { url = "http://localhost:15672/api/nodes?"
          .. "columns=name%2Crunning%2Cmem_alarm%2Cdisk_free_alarm%2Cpartitions%2Cbeing_drained" },
        response = { json = { { name = "rabbit@a", running = true, mem_alarm = false, disk_free_alarm = false,
          partitions = {}, being_drained = false } } },
      },
    },
    expect = { state = "success", attempts = 2, requests = 2 },
  },
}
