---Podman gives an empty text as the health of a container without a health check: compose waited for it in vain, and so
---did docker ContainerHealthy, which says that there is no health check.

local Workspace = require "spec.support.workspace"
local docker = require "spec.support.docker"
local json = require("bide.core").json
local recorded = require("spec.support.recorded").rows "compose/podman-4.3.1"

describe("a container of Podman", function()
  local workspace = Workspace.of_each()

  it("needs no health check to be ready", function()
    for name, state in pairs { running = "ready", ["exited with 0"] = "ready", ["exited with 1"] = "failed",
      ["out of restarts"] = "failed", unhealthy = "failed", starting = "starting has the health starting",
      created = "created is created", ["stopped between restarts"] = "loop is stopped",
      ["restarted just now"] = "loop was restarted less than 10 s ago" } do
      assert.equal(state, docker.inspect(recorded[name]).state, name)
    end
  end)

  it("cannot become healthy without one", function()
    workspace:write("answers.jsonl", json.encode { output = recorded.running.container } .. "\n")
    local done = workspace:bide { "replay", "docker", "ContainerHealthy", "answers.jsonl", "db", "--max-wait", "1m" }
    done:says(1, "there is no health check")
  end)
end)
