---Cases of the recipe kubernetes_rollout. `answers` are in place of its requests, so they test acceptors and delays.

local shapes = require "shapes"

return {
  recipe = "kubernetes_rollout",
  shapes.succeeds("RolledOut", { name = "web" }, {
    { error = { type = "NotFound" } },
    { output = { metadata = { generation = 1 }, status = {} } },
    { error = { type = "ConnectionRefused" } },
    {
      output = {
        metadata = { generation = 1 }, spec = { replicas = 2 },
        status = { observedGeneration = 1, replicas = 3, updatedReplicas = 1, availableReplicas = 2 },
      },
    },
    {
      output = {
        metadata = { generation = 1 }, spec = { replicas = 2 },
        status = { observedGeneration = 1, replicas = 2, updatedReplicas = 2, availableReplicas = 1 },
      },
    },
    {
      output = {
        metadata = { generation = 1 }, spec = { replicas = 2 },
        status = { observedGeneration = 1, replicas = 2, updatedReplicas = 2, availableReplicas = 2 },
      },
    },
  }, { 2, 2.479, 7.686, 6.027, 8.541 }),
  {
    name = "RolledOut fails when the deadline of the Deployment has passed",
    waiter = "RolledOut",
    input = { name = "web" },
    answers = {
      {
        output = {
          metadata = { generation = 1 },
          status = { observedGeneration = 1, conditions = {
            { type = "Progressing", reason = "ProgressDeadlineExceeded", message = "web-7d4 has timed out progressing" },
          } },
        },
      },
    },
    expect = { state = "failure", reason = "acceptor", attempts = 1, message = "web-7d4 has timed out progressing" },
  },
}
