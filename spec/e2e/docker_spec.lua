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
    return process.start { process.bide, "run", "docker", "socket=" .. daemon.socket, "--max-wait", "60s", "--quiet", ... }
  end

  local function run(...) return start(...):wait() end

  ---Asserts the exit code and a part of what is printed.
  local function check(done, code, text)
    done:writes(code, text)
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
    local done = run("ContainerExited", "db", "--interval", "200ms", "--max-attempts", "20")
    check(done, 4, "its last lines: no such database")
  end)

  local function find(...) return run("LineFound", ...) end

  with_docker("finds a line that ends in pieces, with its captures", function()
    daemon:run("db", "echo one; sleep 0.5; printf 'listening on '; sleep 0.5; echo 5432; sleep 100")
    check(find("db", "^listening on (\\d+)$", "--env",
      "PORT=captures[0]", "--", "sh", "-c", "echo the port is $PORT"), 0, "the port is 5432")
    check(find("db", "matches_lua=^one$"), 0, "one")
    check(find("db", "never", "failed=one"), 1, "FailedLine: one")
  end)

  with_docker("finds a line in the log of a service of Compose", function()
    daemon:run("shop-db-1", "echo one; sleep 1; echo two; sleep 100", "--label", "com.docker.compose.project=shop", "--label",
      "com.docker.compose.service=db", "--label", "com.docker.compose.container-number=1")
    local done = process.run { process.bide, "compose", "LineFound", "shop", "db", "^two$", "socket=" .. daemon.socket,
      "--max-wait", "40s", "--quiet" }
    check(done, 0, "two")
  end)

  with_docker("finds a line in the log of a terminal, and of a container that has exited with 0 without ending it", function()
    daemon:run("tty", "echo one; echo two; sleep 100", "--tty")
    check(find("tty", "^two$"), 0, "two")
    daemon:run("job", "printf done")
    check(find("job", "^done$"), 0, "done")
  end)

  with_docker("ends as soon as the container has exited, with its exit code and last lines", function()
    daemon:run("db", "echo starting; sleep 1; echo panic; exit 4")
    check(find("db", "listening"), 1, "the container has exited with 4; its last lines: starting | panic")
    check(find("db", "starting"), 1, "the container has exited with 4")
    daemon:run("job", "true")
    check(find("job", "listening"), 1, "the container has exited with 0; its log is empty")
  end)

  with_docker("lets a container come, start and restart, and takes no line of an earlier run", function()
    local started = start("LineFound", "db", "^run 2$")
    started:wait_for_output ""
    daemon:docker("create", "--network", "none", "--name", "db", "busybox:spec", "sh", "-c",
      "if [ -f /x ]; then echo run 2; else touch /x; echo run 1; fi; sleep 100")
    daemon:docker("start", "db")
    check(find("db", "^run 1$"), 0, "run 1")
    daemon:docker("restart", "--time", "0", "db")
    check(started:wait(), 0, "run 2")
    local done = process.run { process.bide, "docker", "LineFound", "db", "^run 1$", "socket=" .. daemon.socket, "--max-wait",
      "2s", "--quiet" }
    check(done, 124, "bytes of the log read, no line matches")
  end)

  ---Waits until bide follows a log: beside its three streams, which are sockets here, it has a connection for questions, and
  ---one for the log.
  local function await_following(started)
    local done = process.run({ "sh", "-c", ("until [ $(ls -l /proc/%d/fd | grep -c socket:) -ge 5 ]; do sleep 0.05; done")
      :format(started.pid) }, { tool = true })
    assert.equal(0, done.code)
  end

  with_docker("follows a container that is renamed, and the next one of the name of one that was removed", function()
    daemon:run("db", "until [ -f /go ]; do sleep 0.1; done; echo here; sleep 100")
    local renamed = start("LineFound", "db", "^here$")
    await_following(renamed)
    daemon:docker("rename", "db", "other")
    daemon:touch("other", "/go")
    check(renamed:wait(), 0, "here")
    daemon:run("db", "sleep 100")
    local removed = start("LineFound", "db", "^there$")
    await_following(removed)
    daemon:docker("rm", "--force", "db")
    daemon:run("db", "echo there; sleep 100")
    check(removed:wait(), 0, "there")
  end)

  with_docker("refuses a log that cannot be read, a name that is none, and a line that is not said", function()
    daemon:run("db", "sleep 100", "--log-driver", "none")
    check(find("db", "x"), 1, "LogUnreadable (501): configured logging driver does not support reading")
    check(find("a b", "x"), 2, "container: expected a name or an id")
    check(find "db", 2, "matches: expected a regular expression, found nothing")
    check(find("db", "("), 2, "matches: expected a regular expression")
  end)

  with_docker("reads a long log, and a long line, in little memory", function()
    daemon:run("db", "head -c 40000000 /dev/zero | tr '\\000' x; echo; echo ready; sleep 100")
    local done = process.run { "sh", "-c", ("exec %s docker LineFound db '^ready$' socket=%s --max-wait 40s"
      .. " --quiet"):format(process.bide, daemon.socket) }
    check(done, 0, "ready")
  end)

  with_docker("asks for no log of a container that is well", function()
    daemon:run("db", "echo here; sleep 100", "--health-cmd", "true", "--health-interval", "1s")
    check(run("ContainerHealthy", "db"), 0, "succeeded")
    check(run "db", 0, "succeeded")
  end)
end)
