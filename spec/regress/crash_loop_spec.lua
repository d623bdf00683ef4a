---A container in a crash loop runs for a moment again and again, and was ready if a poll fell into one of them.

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

describe("a container without a health check", function()
  it("is not ready right after a restart", function()
    assert.equal("loop was restarted less than 10 s ago", inspect("restarted just now").state)
    assert.equal("loop is restarting after the exit code 3", inspect("restarting").state)
  end)

  it("is ready right after its start, and some time after a restart", function()
    assert.equal("ready", inspect("running").state)
    assert.equal("ready", inspect("restarted for good").state)
  end)
end)
