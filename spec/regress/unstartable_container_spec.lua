---A container that Docker could not start is "created", with an error: the recipes waited for it in vain.

local docker = require "spec.support.docker"
local recorded = require("spec.support.recorded").rows "compose/docker-20.10.24"

describe("a container that was created", function()
  it("has failed if it could not be started", function()
    assert.matches("^bad cannot be started: .*executable file not found", docker.inspect(recorded["not startable"]).failed[1])
    local project = docker.inspect(recorded.created)
    assert.same({ "created is created", 0 }, { project.state, #project.failed })
  end)
end)
