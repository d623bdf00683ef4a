local Directory = require "spec.support.directory"
local Server = require "spec.support.server"
local docker = require "bide.docker"
local failure_of = require "spec.support.failure_of"
local process = require "spec.support.process"
local recorded = require "spec.support.recorded"

require "spec.support.proven"

local function body_of_error(failure) return { message = failure.message } end

---What becomes of each waiter with each recording: exit code, a part of what is printed, the container's name.
local cases = {
  { "ContainerRunning", "running", 0, "after 3 attempts" },
  { "ContainerRunning", "failed", 0, "after 1 attempt " },
  { "ContainerRunning", "not-started", 1, 'the exit code is 127 failed to create shim task', "bad" },
  { "ContainerHealthy", "healthy", 0, "after 3 attempts" },
  { "ContainerHealthy", "unhealthy", 1, "5432 - no response" },
  { "ContainerHealthy", "running", 1, "there is no health check" },
  { "ContainerExited", "exited", 0, "after 2 attempts" },
  { "ContainerExited", "failed", 1, "the exit code is 137" },
  { "ContainerExited", "running", 3, "NotFound (404): No such container: db" },
  { "ContainerGone", "gone", 0, "after 3 attempts" },
}

describe("the recipe docker, with recorded answers of the API", function()
  local directory = Directory.of_each()
  local socket, server

  before_each(function() socket = directory.path .. "/docker.sock" end)

  Server.close_after_each()

  local function serve(name)
    server = Server.start(recorded.handler("docker/" .. name, body_of_error), { unix_socket = socket })
  end

  local function start(...)
    return process.start({ process.bide, "run", "docker", "socket=" .. socket, "--min-delay", "20ms",
      "--max-delay", "20ms", "--no-watch", ... })
  end

  for _, case in ipairs(cases) do
    local waiter, recording, code, text, name = table.unpack(case)
    name = name or "db"

    it(("%s, %s, over a unix socket"):format(waiter, recording), function()
      serve(recording)
      start(waiter, "container=" .. name, "--max-wait", "50s"):wait():writes(code, text)
      assert.equal(("/containers/%s/json"):format(name), server.requests[1].target)
    end)

    it(("%s, %s, by replay"):format(waiter, recording), function()
      local answers = recorded.file("docker/" .. recording)
      process.run({ process.bide, "replay", "docker", waiter, answers, "db", "--max-wait", "1h" }):writes(code, text)
    end)
  end

  it("waits for a daemon that is about to start, for a running container where nothing is said", function()
    local started = start("container=db", "--max-wait", "50s")
    started:wait_for_output "ConnectionFailed"
    serve "running"
    started:wait():writes(0, "ContainerRunning succeeded")
  end)

  it("refuses what is no name of a container", function()
    serve "running"
    local done = start("container=../a b", "--max-wait", "50s"):wait()
    done:says(2, 'container: expected a name or an id: letters, digits, _, . and -, found "../a b"')
    assert.equal(0, #server.requests)
  end)

  it("fails at once where the daemon refuses", function()
    server = Server.start(function() return { status = 403, body = '{"message": "not for you"}' } end, { unix_socket = socket })
    start("container=db", "--max-wait", "50s"):wait():writes(3, "Forbidden (403): not for you")
  end)

  it("names an input that is mistyped or missing", function()
    assert.matches("container: expected .*, found nothing", start("--max-wait", "1s"):wait().stderr)
    start("contianer=x", "--max-wait", "1s"):wait():says(2, 'unknown input "contianer", did you mean "container"?')
  end)

  it("inspects a container for a script", function()
    serve "running"
    assert.equal("NotFound", failure_of(docker.inspect, { container = "db", socket = socket }).type)
    for _ = 1, 2 do assert.equal("/db", docker.inspect({ container = "/db", socket = socket }):json().Name) end
    assert.equal("InvalidAnswer", failure_of(docker.inspect, { container = "web", socket = socket }).type)
    local count = #server.requests
    for _, container in ipairs { "", "..", "a/b", "a b", 5, false } do
      assert.error_matches(function() docker.inspect { container = container, socket = socket } end,
        "docker%.inspect: container: expected a name or an id")
    end
    assert.error_matches(function() docker.inspect { socket = socket } end, "container: expected .*, found nothing")
    assert.equal(count, #server.requests)
  end)
end)
