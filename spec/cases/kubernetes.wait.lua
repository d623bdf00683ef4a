---Cases of the recipe kubernetes. `answers` are in place of its requests, so they test acceptors and delays.

local shapes = require "shapes"

return {
  recipe = "kubernetes",
  shapes.succeeds("ObjectReady", { resource = "deployment/web" }, {
    { error = { type = "NotFound" } },
    { output = { wait = { state = "not ready" } } },
    { error = { type = "ConnectionRefused" } },
    { output = { wait = { state = "not ready" } } },
    { output = { wait = { state = "not ready" } } },
    { output = { wait = { state = "done" } } },
  }, { 2, 2.479, 7.686, 6.027, 8.541 }),
  {
    name = "ObjectReady fails with the reason of the object",
    waiter = "ObjectReady",
    input = { resource = "deployment/web" },
    answers = { { output = { wait = { state = "failed", reason = "its image cannot be pulled" } } } },
    expect = { state = "failure", reason = "acceptor", attempts = 1, message = "its image cannot be pulled" },
  },
}
