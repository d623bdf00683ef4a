---Cases of the recipe file. `answers` are in place of its requests, so they test acceptors and delays.

local shapes = require "shapes"

local pid_file = { path = "/run/app.pid" }
local files = { path = "/in/*.csv" }
local log = { path = "/var/log/app.log" }

return {
  recipe = "file",
  shapes.succeeds("FileExists", pid_file, {
    { error = { type = "NotStable" } },
    { error = { type = "UnexpectedValue" } },
    { error = { type = "DanglingLink" } },
    { error = { type = "NotFound" }, duration = 300 },
    { output = {} },
  }, { 0.05, 0.05, 0.05, 2.86 }),
  shapes.succeeds("FileGone", pid_file, {
    { error = { type = "NotStable" } },
    { error = { type = "UnexpectedValue" } },
    { error = { type = "DanglingLink" }, duration = 300 },
    { error = { type = "NotFound" } },
  }, { 0.05, 0.05, 2.86 }),
  shapes.succeeds("FilesCounted", files, {
    { error = { type = "NotStable" } },
    { error = { type = "UnexpectedValue" } },
    { error = { type = "DanglingLink" }, duration = 300 },
    { output = { enough = true } },
  }, { 0.05, 0.05, 2.86 }),
  shapes.succeeds("FilesGone", files, {
    { error = { type = "NotStable" } },
    { error = { type = "UnexpectedValue" } },
    { error = { type = "DanglingLink" }, duration = 300 },
    { output = { gone = true } },
  }, { 0.05, 0.05, 2.86 }),
  shapes.succeeds("LineFound", log, {
    { error = { type = "NotStable" } },
    { error = { type = "UnexpectedValue" } },
    { error = { type = "DanglingLink" }, duration = 300 },
    { output = {} },
  }, { 0.05, 0.05, 2.86 }),
  shapes.fails("LineFound", "FailedLine", log),
  shapes.fails("LineFound", "MatchLimit", log),
}
