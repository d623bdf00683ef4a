---Cases of the recipe postgres. `answers` are in place of its requests, so they test acceptors and delays.

local shapes = require "shapes"

local input = { query = "SELECT 1 FROM jobs" }

return {
  recipe = "postgres",
  shapes.succeeds("PostgresReady", nil, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = {} },
  }, { 0.05, 2.86 }),
  shapes.fails("PostgresReady", "28P01"),
  shapes.fails("PostgresReady", "3D000"),
  shapes.fails("PostgresReady", "28000"),
  shapes.fails("PostgresReady", "42601"),
  shapes.fails("RowFound", "28P01", input),
  shapes.fails("RowFound", "3D000", input),
  shapes.fails("RowFound", "28000", input),
  shapes.fails("RowFound", "42601", input),
  shapes.fails("RowGone", "28P01", input),
  shapes.fails("RowGone", "3D000", input),
  shapes.fails("RowGone", "28000", input),
  shapes.fails("RowGone", "42601", input),
  shapes.succeeds("RowFound", input, {
    { error = { type = "42P01" } },
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
