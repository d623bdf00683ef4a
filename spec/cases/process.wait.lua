---Cases of the recipe process. `answers` are in place of its requests, so they test acceptors and delays.

local shapes = require "shapes"

return {
  recipe = "process",
  shapes.succeeds("ProcessGone", nil, {
    { output = {} },
    { error = { type = "InvalidPidFile" }, duration = 300 },
    { error = { type = "ProcessNotFound" } },
  }, { 0.05, 2.86 }),
  shapes.fails("ProcessGone", "ProcessesHidden"),
  shapes.succeeds("ProcessRuns", nil, {
    { error = { type = "ProcessNotFound" } },
    { error = { type = "ProcessesHidden" } },
    { error = { type = "InvalidPidFile" }, duration = 300 },
    { output = {} },
  }, { 0.05, 0.05, 2.86 }),
}
