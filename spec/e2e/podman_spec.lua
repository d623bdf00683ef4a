---The recipes docker and compose, with a real Podman in place of Docker.

local podman = require "spec.support.podman"
local process = require "spec.support.process"
local with_default = require "spec.support.with_default"

describe("Podman", function()
  local engine, missing

  setup(function() engine, missing = podman.start() end)
  teardown(function()
    if engine then engine:stop() end
  end)
  after_each(function()
    if engine then engine:clear() end
  end)

  ---A spec that needs the engine.
  local function with_podman(name, body)
    it(name, function()
      if not engine then return pending(missing) end
      body()
    end)
  end

  local function start(recipe, ...)
    local words = { process.bide, recipe, "socket=" .. engine.socket, "--verbose", with_default("--max-wait", "30s", ...) }
    return process.start(words)
  end

  ---Asserts the exit code and a part of what is printed.
  local function check(started, code, text)
    local done = started:wait()
    done:writes(code, text or "")
    return done
  end

  with_podman("tells at once that a container starts, exits and is gone", function()
    engine:make("create", "web", "sleep 2")
    for _, row in ipairs { { "ContainerRunning", "start" }, { "ContainerExited" }, { "ContainerGone", "rm" } } do
      local started = start("docker", row[1], "web", "--interval", "25s")
      started:wait_for_output "attempt 1"
      if row[2] then engine:podman(row[2], "web") end
      assert.is_true(check(started, 0).elapsed < 20)
    end
  end)

  with_podman("shows the last lines of a container that has failed, and finds a line of one that runs", function()
    engine:make("run", "bad", "echo no such database; exit 3")
    check(start("docker", "ContainerExited", "bad"), 1, "the exit code is 3; its last lines: no such database")
    check(start("docker", "bad"), 1, "the exit code is 3")
    engine:make("run", "db", "echo starting; sleep 1; echo listening on 5432; sleep 60")
    check(start("docker", "LineFound", "db", "listening on (\\d+)"), 0, "listening on 5432")
    check(start("docker", "LineFound", "db", "never", "--max-wait", "2s"), 124)
    check(start("docker", "ContainerHealthy", "db"), 1, "there is no health check")
  end)

  with_podman("waits for a container that is not there yet, and not for ever", function()
    check(start("docker", "none", "--max-wait", "1s"), 124, "no such container")
    check(start("docker", "ContainerExited", "none", "--max-wait", "1s"), 3, "no such container")
  end)

  with_podman("has projects of Compose", function()
    local function of_project(name, line)
      engine:make("run", "shop-" .. name, line, "--label", "com.docker.compose.project=shop", "--label",
        "com.docker.compose.service=" .. name)
    end
    of_project("web", "sleep 60")
    of_project("migrate", "true")
    check(start("compose", "shop"), 0)
    of_project("bad", "echo oops; exit 4")
    check(start("compose", "shop"), 1, "shop-bad has exited with 4; its last lines: oops")
  end)
end)
