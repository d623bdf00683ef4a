---Waits until a container runs, by the API of Docker or of what speaks it. Or, with ContainerHealthy, ContainerExited,
---ContainerGone, until its health check says so, it has exited with 0, there is none.
---
---    bide run docker container=db --max-wait 1m
---    bide run docker ContainerHealthy container=db socket=/run/podman/podman.sock timeout=5 --max-wait 5m

local error_class, http = require "bide.error_class", require "bide.http"
local check = require "bide.input" { required = { "container" }, optional = { "socket" }, numbers = { "timeout" } }

local function inspect(input)
  check(input)
  local name = input.container:gsub("[^%w_.-]", function(byte) return ("%%%02X"):format(byte:byte()) end)
  return http.get("http://docker/containers/" .. name .. "/json",
    { unix_socket = input.socket or "/var/run/docker.sock", timeout = input.timeout or 10 })
end

local function is(path, state, message)
  local output = { path = path, comparator = "booleanEquals", expected = "true" }
  return { state = state, message = message, matcher = { output = output } }
end

local function waiter(documentation, ...)
  return { documentation = documentation, minDelay = 0.5, maxDelay = 5,
    acceptors = { { state = "retry", matcher = { lua = error_class.matcher() } }, ... } }
end

local unmade = { state = "retry", matcher = { errorType = "NotFound" } }
local over = is("State.Status == 'exited' || State.Status == 'dead'", "failure",
  "join(' ', ['the exit code is', to_string(State.ExitCode), State.Error])")

return { Inspect = { call = inspect, default = "ContainerRunning", waitable = {
  ContainerRunning = waiter("Waits until a container runs.", is("State.Status == 'running'", "success"), over, unmade),
  ContainerHealthy = waiter("Waits until a container is healthy.", is("State.Health.Status == 'healthy'", "success"),
    is("State.Health.Status == 'unhealthy'", "failure", "State.Health.Log[-1].Output"), over, unmade,
    is("State.Running && (State.Health.Status || 'none') == 'none'", "failure", "'there is no health check'")),
  ContainerExited = waiter("Waits until a container has exited with 0.",
    is("State.Status == 'exited' && State.ExitCode == `0`", "success"), over),
  ContainerGone = waiter("Waits until there is no such container.",
    { state = "success", matcher = { errorType = "NotFound" } }),
} } }
