---Waits until a container runs, using the API of Docker or a compatible one. Or, with ContainerHealthy, until its health
---check passes; with ContainerExited, until it has exited with 0; with ContainerGone, until it does not exist; with
---LineFound, until its log gets a line.
---Docker says when something happens to a container, and it is looked at then. Besides, a poll is cheap:
---the delays are 50 ms to 5 s, 5 % of the time waited.
---
---    bide run docker db --max-wait 1m
---    bide run docker ContainerHealthy db socket=/run/podman/podman.sock timeout=5s --max-wait 5m
---    bide run docker LineFound db 'listening on (\d+)' failed=panic --max-wait 1m
---
---The daemon is that of the docker command: of `DOCKER_HOST`, of the context that `DOCKER_CONTEXT` or `docker context use`
---names, or at `/var/run/docker.sock`. One that is not at a socket of this machine is a mistake, unless `socket=` is given.
---The outcome of a container that has failed has the last lines of its log.
---A container that is paused or about to restart does not run, whatever its health check said before. One that Docker has
---restarted must run for 10 s, or be healthy.

local acceptor = require "bide.acceptor"
local docker = require "bide.docker"
local expect = require "bide.expect"

---A daemon that is about to start passes; a container that is not made yet does where it is to run.
local transient = acceptor.transient()

local STATE = ("(wait.state || %s)"):format(docker.STATE)
local runs = ("%s == 'running'"):format(STATE)

---A message with the last lines of the log behind it.
local function with_log(message)
  return ("join('; ', [%s, wait.log][?@])"):format(message)
end

local over = acceptor.output("failure", ("!(State.Restarting) && (%s)"):format(
  "State.Status == 'exited' || State.Status == 'dead' || State.Status == 'created' && length(State.Error) > `0`"), nil,
  with_log "join(' ', ['the exit code is', to_string(State.ExitCode), State.Error][?@])")

local inputs = {
  container = {
    type = "string", required = true, positional = 1, example = "db",
    documentation = "Its name, or at least 8 characters of its id.",
  },
  socket = {
    type = "string", example = "/var/run/docker.sock",
    documentation = "The socket of the API. Default: that of DOCKER_HOST, of Docker's context, or /var/run/docker.sock.",
  },
  timeout = { type = "duration", default = 10, documentation = "The time for one attempt; of LineFound, until the log begins." },
}

return {
  Inspect = {
    place = "local",
    prepare = docker.prepare,
    watch = docker.watch,
    watch_key = docker.watch_key,
    watch_name = docker.watch_name,
    fact = "join('', ['the container is ', join(', ', [State.Status, State.Health.Status][?@])])",
    input = inputs,
    default = "ContainerRunning",
    waitable = {
      ContainerRunning = {
        documentation = "Waits until a container runs.",
        countsAsReady = "the API says that the container is running, and neither paused nor restarting; after a restart, "
          .. "for 10 s, or that it is healthy",
        minDelay = 0.05, maxDelay = 5, lateness = 0.05,
        acceptors = {
          transient,
          acceptor.output("success", STATE, "running"),
          over,
          acceptor.error("retry", "NotFound"),
          acceptor.error("retry", "OtherContainer"),
        },
      },
      ContainerHealthy = {
        documentation = "Waits until a container is healthy.",
        countsAsReady = "the API says that the container is running, and that its health check passes",
        minDelay = 0.05, maxDelay = 5, lateness = 0.05,
        acceptors = {
          transient,
          acceptor.output("success", runs .. " && State.Health.Status == 'healthy'"),
          over,
          acceptor.error("retry", "NotFound"),
          acceptor.error("retry", "OtherContainer"),
          acceptor.output("failure", runs .. " && State.Health.Status == 'unhealthy'", nil,
            with_log "State.Health.Log[-1].Output"),
          acceptor.output("failure", "State.Running && (State.Health.Status || 'none')", "none", "'there is no health check'"),
        },
      },
      ContainerExited = {
        documentation = "Waits until a container has exited with 0.",
        countsAsReady = "the API says that the container has exited with 0, and is not about to restart",
        minDelay = 0.05, maxDelay = 5, lateness = 0.05,
        acceptors = {
          transient,
          acceptor.output("success", ("%s == 'exited' && State.ExitCode == `0`"):format(STATE)),
          over,
        },
      },
      ContainerGone = {
        documentation = "Waits until there is no such container.",
        countsAsGone = "the API answers 404 with the message No such container",
        minDelay = 0.05, maxDelay = 5, lateness = 0.05,
        acceptors = {
          transient,
          acceptor.error("success", "NotFound"),
        },
      },
    },
  },
  Follow = {
    place = "local",
    prepare = docker.prepare_follow,
    check = expect.mistake_of_needed_matches,
    fact = "line",
    input = docker.line_inputs(inputs),
    waitable = {
      LineFound = {
        documentation = "Waits until the log of a container gets a line.",
        countsAsReady = "a line matches that has ended, and is of the run which the container is in; and the container still "
          .. "runs then, or has exited with 0. Docker notes the start of a run late, so of a container that has exited, lines "
          .. "up to 2 s before its last start count",
        minDelay = 0.05, maxDelay = 5, lateness = 0.05,
        acceptors = {
          acceptor.success(),
          acceptor.error("failure", "FailedLine"),
          acceptor.error("failure", "MatchLimit"),
          acceptor.error("failure", "ContainerEnded"),
          acceptor.error("failure", "LogUnreadable"),
          acceptor.error("retry", "NotFound"),
          acceptor.error("retry", "OtherContainer"),
          acceptor.transient "Conflict",
        },
      },
    },
  },
}
