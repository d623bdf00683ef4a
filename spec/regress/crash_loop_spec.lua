---A container in a crash loop runs for a moment again and again, and was ready if a poll fell into one of them.

local docker = require "spec.support.docker"
local recorded = require("spec.support.recorded").rows "compose/docker-20.10.24"

describe("a container without a health check", function()
  it("is not ready right after a restart", function()
    assert.equal("loop was restarted less than 10 s ago", docker.inspect(recorded["restarted just now"]).state)
    assert.equal("loop is restarting after the exit code 3", docker.inspect(recorded["restarting"]).state)
  end)

  it("is ready right after its start, and some time after a restart", function()
    assert.equal("ready", docker.inspect(recorded["running"]).state)
    assert.equal("ready", docker.inspect(recorded["restarted for good"]).state)
  end)
end)
