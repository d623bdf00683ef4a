---A container that Docker could not start is "created", with an error: the recipes waited for it in vain.

local Workspace = require "spec.support.workspace"
local compose = require "bide.compose"
local docker = require "spec.support.docker"
local recorded = require("spec.support.recorded").rows "compose/docker-20.10.24"

---Inspects a project of one recorded container.
local function inspect(name)
  local workspace = Workspace.make()
  local socket = workspace.path .. "/docker.sock"
  local server = docker.serve(socket, { { recorded[name] } })
  local project = compose.inspect { project = "shop", socket = socket }
  server:close()
  workspace:remove()
  return project
end

describe("a container that was created", function()
  it("has failed if it could not be started", function()
    assert.matches("^bad cannot be started: .*executable file not found", inspect("not startable").failed[1])
    local project = inspect "created"
    assert.same({ "created is created", 0 }, { project.state, #project.failed })
  end)
end)
