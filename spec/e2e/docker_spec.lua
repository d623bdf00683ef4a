---The recipes docker and compose, with a real daemon.

local dockerd = require "spec.support.dockerd"
local process = require "spec.support.process"

describe("Docker", function()
  local daemon, missing

  setup(function() daemon, missing = dockerd.start() end)

  teardown(function()
    if daemon then daemon:stop() end
  end)

  after_each(function()
    if daemon then daemon:clear() end
  end)

  ---A spec that needs the daemon.
  local function with_docker(name, body)
    it(name, function()
      if not daemon then return pending(missing) end
      body()
    end)
  end

  local function start(...)
    return process.start { process.bide, "run", "docker", "socket=" .. daemon.socket, "--max-wait", "30s", "--quiet", ... }
  end

  local function run(...) return start(...):wait() end

  ---Asserts the exit code and a part of what is printed.
  local function check(done, code, text)
    assert.equal(code, done.code, done.stdout .. done.stderr)
    assert.matches(text, done.stdout .. done.stderr, 1, true)
  end

  local LINES = "for i in $(seq 12); do echo line $i; done; echo; printf '\\033[31mred\\033[0m \\007\\n'; "
    .. "sleep 0.3; echo password=hunter2hunter2 >&2; sleep 0.3; printf 'no end'; exit 3"

  with_docker("says the last lines of a container that has failed, without colours, controls and secrets", function()
    daemon:run("db", LINES, "--label", "com.docker.compose.project=shop", "--label", "com.docker.compose.service=db")
    local lines = "line 6 | line 7 | line 8 | line 9 | line 10 | line 11 | line 12 | red \\x07 | password=[redacted] | no end"
    check(run("ContainerExited", "db"), 1, "the exit code is 3; its last lines: " .. lines)
    check(run "db", 1, "the exit code is 3; its last lines: " .. lines)
    local done = process.run { process.bide, "compose", "shop", "socket=" .. daemon.socket, "--max-wait", "30s", "--quiet" }
    check(done, 1, "db has exited with 3; its last lines: ")
    assert.matches("password=[redacted]", done.stderr .. done.stdout, 1, true)
  end)

  with_docker("says the last lines of a container with a terminal", function()
    daemon:run("db", "echo one; echo two; exit 1", "--tty")
    check(run("ContainerExited", "db"), 1, "the exit code is 1; its last lines: one | two")
  end)

  with_docker("says it of a container whose log cannot be read, or is empty", function()
    daemon:run("db", "exit 1", "--log-driver", "none")
    check(run("ContainerExited", "db"), 1,
      "the exit code is 1; its log cannot be read: configured logging driver does not support reading")
    daemon:run("quiet", "exit 1")
    check(run("ContainerExited", "quiet"), 1, "the exit code is 1; its log is empty")
  end)

  with_docker("cuts a line without an end", function()
    daemon:run("db", "head -c 4000000 /dev/zero | tr '\\000' x; exit 1")
    local done = run("ContainerExited", "db")
    check(done, 1, "the exit code is 1; its last lines: xxxx")
    assert.is_true(#done.stderr < 3000, #done.stderr)
  end)

  with_docker("says the last lines of a container that restarts again and again, with the outcome", function()
    daemon:run("db", "echo no such database; sleep 0.1; exit 1", "--restart", "always")
    local done = process.run { process.bide, "docker", "ContainerExited", "db", "socket=" .. daemon.socket, "--max-wait", "4s",
      "--quiet" }
    check(done, 124, "its last lines: no such database")
  end)

  with_docker("asks for no log of a container that is well", function()
    daemon:run("db", "echo here; sleep 100", "--health-cmd", "true", "--health-interval", "1s")
    check(run("ContainerHealthy", "db"), 0, "succeeded")
    check(run "db", 0, "succeeded")
  end)
end)
