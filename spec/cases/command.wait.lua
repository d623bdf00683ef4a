---Cases of the recipe command. `answers` are in place of its requests, so they test acceptors and delays.

local shapes = require "shapes"

return {
  recipe = "command",
  shapes.succeeds("CommandSucceeded", { run = "pg_isready -h db" }, {
    { error = { type = "CommandFailed" } },
    { error = { type = "UnexpectedValue" } },
    { error = { type = "CommandFailed" }, duration = 300 },
    { output = {} },
  }, { 0.05, 0.05, 2.86 }),
  shapes.fails("CommandSucceeded", "an exit code that the input calls failed", { run = "pg_isready -h db", failed = { 2 } },
    { error = { type = "FailedValue" } }),
}
