---Cases of the recipe docker. `answers` are in place of its requests, so they test acceptors and delays.

local shapes = require "shapes"

local container = { container = "db" }
local line = { container = "db", matches = "ready" }

return {
  recipe = "docker",
  shapes.succeeds("ContainerGone", container, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { error = { type = "NotFound" } },
  }, { 0.05, 2.86 }),
  shapes.succeeds("ContainerRunning", container, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "NotFound" } },
    { error = { type = "OtherContainer" } },
    { output = { State = { Status = "created" } } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { State = { Status = "running", Running = true } } },
  }, { 0.05, 0.05, 0.05, 0.05, 2.86 }),
  shapes.fails("ContainerRunning", "it has ended", container,
    { output = { State = { Status = "exited", Running = false, ExitCode = 1 } } }),
  shapes.succeeds("ContainerHealthy", container, {
    { error = { type = "ConnectionRefused" } },
    { error = { type = "NotFound" } },
    { error = { type = "OtherContainer" } },
    { output = { State = { Status = "running", Running = true, Health = { Status = "starting" } } } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { State = { Status = "running", Running = true, Health = { Status = "healthy" } } } },
  }, { 0.05, 0.05, 0.05, 0.05, 2.86 }),
  shapes.fails("ContainerHealthy", "it has ended", container,
    { output = { State = { Status = "exited", Running = false, ExitCode = 1 } } }),
  shapes.fails("ContainerHealthy", "it is unhealthy", container,
    { output = { State = { Status = "running", Running = true, Health = { Status = "unhealthy" } } } }),
  shapes.fails("ContainerHealthy", "it has no health check", container,
    { output = { State = { Status = "running", Running = true } } }),
  shapes.succeeds("ContainerExited", container, {
    { error = { type = "ConnectionRefused" } },
    { output = { State = { Status = "running", Running = true } } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { State = { Status = "exited", Running = false, ExitCode = 0 } } },
  }, { 0.05, 0.05, 2.86 }),
  shapes.fails("ContainerExited", "its exit code is not 0", container,
    { output = { State = { Status = "exited", Running = false, ExitCode = 1 } } }),
  shapes.succeeds("LineFound", line, {
    { error = { type = "NotFound" } },
    { error = { type = "OtherContainer" } },
    { error = { type = "Conflict" } },
    { error = { type = "ConnectionRefused" }, duration = 300 },
    { output = { line = "the database is ready" } },
  }, { 0.05, 0.05, 0.05, 2.86 }),
  shapes.fails("LineFound", "FailedLine", line),
  shapes.fails("LineFound", "MatchLimit", line),
  shapes.fails("LineFound", "ContainerEnded", line),
  shapes.fails("LineFound", "LogUnreadable", line),
}
