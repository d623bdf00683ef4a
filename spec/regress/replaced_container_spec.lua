---While Compose replaces a container, the old one has been stopped, with 137, and is not removed yet: the wait failed.

local docker = require "spec.support.docker"
local recorded = require("spec.support.recorded").rows "compose/docker-20.10.24"

describe("a container that is replaced", function()
  for _, tool in ipairs { "Compose 2", "docker-compose 1" } do
    it("is not the one that counts, with " .. tool, function()
      local project = docker.inspect(recorded["replaced by " .. tool], recorded["replacement of " .. tool])
      assert.equal(1, project.count)
      assert.matches("re.web.1 is created$", project.state)
    end)
  end

  it("counts if nothing replaces it", function()
    assert.equal("failed", docker.inspect(recorded["replaced by Compose 2"]).state)
  end)
end)
