---Cases of the recipe rabbitmq. `answers` are in place of its requests, so they test acceptors and delays;
---with `exchanges` it sends them.
return {
  recipe = "rabbitmq",
  {
    name = "QueueDrained fails: state stringEquals crashed",
    waiter = "QueueDrained",
    input = { queue = "jobs", url = "localhost:15672" },
    answers = { { output = { state = "crashed" } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1 },
  },
  {
    name = "QueueExists tries again until it succeeds",
    waiter = "QueueExists",
    input = { queue = "jobs", url = "localhost:15672" },
    answers = {
      { error = { type = "QueueNotFound" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = {} },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 2.86 } },
  },
  {
    name = "ClusterHealthy tries again until it succeeds",
    waiter = "ClusterHealthy",
    input = { nodes = 2, url = "localhost:15672" },
    answers = {
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
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 0.05, 0.05, 0.05, 2.86 } },
  },
  {
    name = "QueueDrained tries again until it succeeds",
    waiter = "QueueDrained",
    input = { queue = "jobs", url = "localhost:15672" },
    answers = {
      { error = { type = "ConnectionRefused" } },
      { output = { messages = 2, state = "running" } },
      { error = { type = "ConnectionRefused" }, duration = 300 },
      { output = { messages = 0, state = "running" } },
    },
    expect = { state = "success", reason = "acceptor", delays = { 0.05, 0.05, 2.86 } },
  },
  {
    name = "QueueDrained believes an empty quorum queue only after the time that RabbitMQ takes to count",
    waiter = "QueueDrained",
    input = { queue = "jobs", url = "localhost:15672" },
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
