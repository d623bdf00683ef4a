---Cases of the recipe kubernetes_job. `answers` are in place of its requests, so they test acceptors and delays.

local shapes = require "shapes"

return {
  recipe = "kubernetes_job",
  shapes.succeeds("JobComplete", { name = "migration" }, {
    { error = { type = "NotFound" } },
    { output = { status = { active = 1 } } },
    { error = { type = "ConnectionRefused" } },
    { output = { status = { active = 1 } } },
    { output = { status = { active = 1 } } },
    { output = { status = { conditions = { { type = "Complete", status = "True" } } } } },
  }, { 2, 2.479, 7.686, 6.027, 8.541 }),
  {
    name = "JobComplete fails with the reason of the object",
    waiter = "JobComplete",
    input = { name = "migration" },
    answers = {
      { output = {
        status = { conditions = { { type = "Failed", status = "True", message = "it reached its backoff limit" } } },
      } },
    },
    expect = { state = "failure", reason = "acceptor", attempts = 1, message = "it reached its backoff limit" },
  },
}
