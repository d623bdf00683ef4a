---Cases of the recipe systemd. `answers` are in place of its requests, so they test acceptors and delays.

local shapes = require "shapes"

local input = { unit = "postgresql.service" }

return {
  recipe = "systemd",
  shapes.succeeds("UnitActive", input, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { ActiveState = "active" } },
  }, { 0.05, 2.86 }),
  shapes.fails("UnitActive", "LoadState stringEquals not-found", input, { output = { LoadState = "not-found" } }),
  shapes.fails("UnitActive", "ActiveState stringEquals failed", input, { output = { ActiveState = "failed" } }),
  shapes.succeeds("UnitFinished", input, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { finished = true } },
  }, { 0.05, 2.86 }),
  shapes.fails("UnitFinished", "LoadState stringEquals not-found", input, { output = { LoadState = "not-found" } }),
  shapes.fails("UnitFinished", "ActiveState stringEquals failed", input, { output = { ActiveState = "failed" } }),
  shapes.succeeds("UnitInactive", input, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { ActiveState = "inactive" } },
  }, { 0.05, 2.86 }),
  shapes.fails("UnitInactive", "LoadState stringEquals not-found", input, { output = { LoadState = "not-found" } }),
  shapes.fails("UnitInactive", "ActiveState stringEquals failed", input, { output = { ActiveState = "failed" } }),
}
