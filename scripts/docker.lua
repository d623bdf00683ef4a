---Waits until a container runs, using the API of Docker or a compatible one. Or, with ContainerHealthy, until its health
---check passes; with ContainerExited, until it has exited with 0; with ContainerGone, until it does not exist.
---Docker is near, and a poll is cheap: the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run docker db --max-wait 1m
---    bide run docker ContainerHealthy db socket=/run/podman/podman.sock timeout=5s --max-wait 5m

local acceptor, http = require "bide.acceptor", require "bide.http"

local function inspect(input)
  local path = input.container:gsub("[^%w_.-]", function(byte) return ("%%%02X"):format(byte:byte()) end) .. "/json"
  local answer = http.get("http://docker/containers/" .. path, { unix_socket = input.socket, timeout = input.timeout })
  local is_docker = answer.status ~= 404 or answer.body:find '"message" ?: ?"' -- and not the page of another program
  if not is_docker then error { type = "InvalidAnswer", message = "this is not an answer of Docker" } end
  return http.find(answer, "type(State.Status) == 'string'", "Docker") and answer
end

---A daemon that is about to start passes; a container that is not made yet does where it is to run.
local function waiter(documentation, ...)
  return { documentation = documentation, minDelay = 0.05, maxDelay = 5, lateness = 0.05,
    acceptors = { acceptor.transient(), ... } }
end
local over = acceptor.output("failure",
  "State.Status == 'exited' || State.Status == 'dead' || State.Status == 'created' && length(State.Error) > `0`", nil,
  "join(' ', ['the exit code is', to_string(State.ExitCode), State.Error])")

return { Inspect = { call = inspect, input = {
  container = { type = "string", required = true, positional = 1, example = "db", documentation = "Its name or id." },
  socket = { type = "string", default = "/var/run/docker.sock", documentation = "The socket of the API." },
  timeout = { type = "duration", default = 10, documentation = "The time for one attempt." },
}, default = "ContainerRunning", waitable = {
  ContainerRunning = waiter("Waits until a container runs.",
    acceptor.output("success", "State.Status", "running"), over, acceptor.error("retry", "NotFound")),
  ContainerHealthy = waiter("Waits until a container is healthy.",
    acceptor.output("success", "State.Health.Status", "healthy"), over, acceptor.error("retry", "NotFound"),
    acceptor.output("failure", "State.Health.Status", "unhealthy", "State.Health.Log[-1].Output"),
    acceptor.output("failure", "State.Running && (State.Health.Status || 'none')", "none", "'there is no health check'")),
  ContainerExited = waiter("Waits until a container has exited with 0.",
    acceptor.output("success", "State.Status == 'exited' && State.ExitCode == `0`"), over),
  ContainerGone = waiter("Waits until there is no such container.", acceptor.error("success", "NotFound")),
} } }
