---Cases of the recipe mysql. `answers` are in place of its requests, so they test acceptors and delays.

local shapes = require "shapes"

local input = { query = "SELECT 1 FROM jobs" }

return {
  recipe = "mysql",
  shapes.succeeds("MysqlReady", nil, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = {} },
  }, { 0.05, 2.86 }),
  shapes.fails("MysqlReady", "28000"),
  shapes.fails("MysqlReady", "42000"),
  shapes.fails("RowFound", "28000", input),
  shapes.fails("RowFound", "42000", input),
  shapes.fails("RowGone", "28000", input),
  shapes.fails("RowGone", "42000", input),
  shapes.succeeds("RowFound", input, {
    { error = { type = "42S02" } },
    { output = { rows = 0 } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { rows = 1 } },
  }, { 0.05, 0.05, 2.86 }),
  shapes.succeeds("RowGone", input, {
    { output = { rows = 1 } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { rows = 0 } },
  }, { 0.05, 2.86 }),
}
