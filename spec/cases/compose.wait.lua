---Cases of the recipe compose. `answers` are in place of its requests, so they test acceptors and delays.

local shapes = require "shapes"

local project = { project = "shop" }
local line = { project = "shop", service = "db", matches = "ready" }

return {
  recipe = "compose",
  shapes.succeeds("ProjectGone", project, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { left = "none" } },
  }, { 0.05, 2.86 }),
  shapes.succeeds("ProjectReady", project, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { state = "ready" } },
  }, { 0.05, 2.86 }),
  shapes.fails("ProjectReady", "state stringEquals failed", project, { output = { state = "failed" } }),
  shapes.succeeds("LineFound", line, {
    { error = { type = "NotFound" } },
    { error = { type = "Conflict" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { line = "the database is ready" } },
  }, { 0.05, 0.05, 2.86 }),
  shapes.fails("LineFound", "FailedLine", line),
  shapes.fails("LineFound", "MatchLimit", line),
  shapes.fails("LineFound", "ContainerEnded", line),
  shapes.fails("LineFound", "LogUnreadable", line),
}
